//! Encodes and decodes numbers, texts and lists. Numbers take seven bits per byte, the lowest first. The
//! decoder never allocates for a stored length that exceeds the remaining bytes.

/// Writes values to bytes.
#[derive(Debug, Default)]
pub struct Encoder(Vec<u8>);

impl Encoder {
    /// Returns the written bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Returns the bytes written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Writes one byte.
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Writes a number; small numbers take fewer bytes.
    pub fn number(&mut self, number: impl Into<u64>) {
        let mut number = number.into();
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Writes the difference between two numbers; small ones take fewer bytes, whatever their sign.
    pub fn difference(&mut self, from: u32, to: u32) {
        let difference = i64::from(to) - i64::from(from);
        self.number(((difference << 1) ^ (difference >> 63)).cast_unsigned());
    }

    /// Writes a length and as many bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Writes a list.
    pub fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|each| item(self, each));
    }
}

/// Reads values from bytes. Every method returns `None` if the bytes do not hold a valid value.
#[derive(Clone, Debug)]
pub struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    /// Reads `bytes` from their start.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether all bytes were read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads one byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    /// Reads a number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a number that fits 32 bits.
    pub fn number32(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// Reads a difference and adds it to `from`.
    pub fn difference(&mut self, from: u32) -> Option<u32> {
        let coded = self.number()?;
        let difference = (coded >> 1).cast_signed() ^ -(coded & 1).cast_signed();
        u32::try_from(i64::from(from).checked_add(difference)?).ok()
    }

    /// Reads a length and as many bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Reads a text.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// Reads a list.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = usize::try_from(self.number()?).ok()?;
        // Each item has at least one byte.
        if count > self.0.len() {
            return None;
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(item(self)?);
        }
        Some(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_values_round_trip() {
        let mut out = Encoder::default();
        for number in [0, 127, 128, u64::from(u32::MAX), u64::MAX] {
            out.number(number);
        }
        for (from, to) in [(0, 0), (5, 3), (3, 5), (0, u32::MAX), (u32::MAX, 0)] {
            out.difference(from, to);
        }
        out.list(&["", "größe"], |out, text| out.text(text));
        let bytes = out.into_bytes();
        let mut rest = Decoder::new(&bytes);
        for number in [0, 127, 128, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(rest.number(), Some(number));
        }
        for (from, to) in [(0, 0), (5, 3), (3, 5), (0, u32::MAX), (u32::MAX, 0)] {
            assert_eq!(rest.difference(from), Some(to));
        }
        assert_eq!(rest.list(Decoder::text).unwrap(), ["", "größe"]);
        assert!(rest.is_empty());
    }

    #[test]
    fn invalid_lengths_are_rejected() {
        let mut out = Encoder::default();
        out.number(u64::MAX);
        out.byte(1);
        let bytes = out.into_bytes();
        assert_eq!(Decoder::new(&bytes).text(), None);
        assert_eq!(Decoder::new(&bytes).list(Decoder::byte), None);
        assert_eq!(Decoder::new(&[0x80; 20]).number(), None);
        assert_eq!(Decoder::new(&bytes).number32(), None);
    }
}
