//! Reads mangled names of C++ and Rust, as linkers and backtraces print them, into the names that sources have. Both
//! follow the Itanium C++ ABI (<https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling>). The types of arguments
//! are not read, and a name that needs them stays as it is. Start at [`with_source_names`].

use std::borrow::Cow;

/// Longest mangled name that is read, in bytes.
const MAX_SYMBOL: usize = 2_000;

/// The codes of operators, and their signs.
const OPERATORS: [(&str, &str); 19] = [
    ("aS", "="),
    ("cl", "()"),
    ("dv", "/"),
    ("eq", "=="),
    ("ge", ">="),
    ("gt", ">"),
    ("ix", "[]"),
    ("le", "<="),
    ("ls", "<<"),
    ("lt", "<"),
    ("mI", "-="),
    ("mL", "*="),
    ("mi", "-"),
    ("ml", "*"),
    ("ne", "!="),
    ("pL", "+="),
    ("pl", "+"),
    ("pt", "->"),
    ("rs", ">>"),
];

/// Characters that Rust escapes in names.
const ESCAPES: [(&str, &str); 13] = [
    ("$LT$", "<"),
    ("$GT$", ">"),
    ("$LP$", "("),
    ("$RP$", ")"),
    ("$C$", ","),
    ("$RF$", "&"),
    ("$BP$", "*"),
    ("$u20$", " "),
    ("$u5b$", "["),
    ("$u5d$", "]"),
    ("$u7b$", "{"),
    ("$u7d$", "}"),
    ("..", "::"),
];

/// Replaces the mangled names in a line by those that sources have: `_ZN4shop4Cart3sumEi` by `shop::Cart::sum`.
pub fn with_source_names(line: &str) -> Cow<'_, str> {
    if !line.contains("_Z") {
        return Cow::Borrowed(line);
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c: char| !is_part(c)).unwrap_or(from.len()));
        let symbol = word.trim_end_matches('.');
        text.push_str(before);
        match source_name(symbol) {
            Some(name) => {
                text.push_str(&name);
                text.push_str(word.strip_prefix(symbol).unwrap_or_default());
            }
            None => text.push_str(word),
        }
        rest = after;
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Returns the name in sources of a mangled one; `None` if it is none or cannot be read.
fn source_name(symbol: &str) -> Option<String> {
    // Programs of Apple's systems have an underscore before every name.
    let mangled = symbol
        .strip_prefix("__Z")
        .or_else(|| symbol.strip_prefix("_Z"))?;
    if mangled.len() > MAX_SYMBOL {
        return None;
    }
    let mut parts = Reader { rest: mangled }.path()?;
    if parts.len() > 1 && parts.last().is_some_and(|part| is_hash(part)) {
        parts.pop();
    }
    Some(parts.join("::"))
}

/// Whether a name is the hash at the end of one of Rust: `h0123456789abcdef`.
pub(crate) fn is_hash(part: &str) -> bool {
    const DIGITS: usize = 16;
    let digits = part.strip_prefix('h');
    digits.is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Returns a name as it is in sources: Rust escapes the signs in the names of implementations and closures.
fn unescaped(name: &str) -> String {
    if !name.contains(['$', '.']) {
        return name.to_owned();
    }
    let bare = name.strip_prefix('_').filter(|rest| rest.starts_with('$'));
    let mut text = bare.unwrap_or(name).to_owned();
    for (escape, sign) in ESCAPES {
        text = text.replace(escape, sign);
    }
    text
}

/// Reads a mangled name from its start.
struct Reader<'s> {
    rest: &'s str,
}

impl<'s> Reader<'s> {
    /// Skips `start` if the rest begins with it.
    fn eat(&mut self, start: &str) -> bool {
        let rest = self.rest.strip_prefix(start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }

    /// Skips everything up to the first `end`, and `end`.
    fn skip_past(&mut self, end: char) -> Option<()> {
        self.skip(self.rest.find(end)? + end.len_utf8())
    }

    /// Reads the names of a function, static or not, or of the class that a table of virtual functions or a description
    /// of a type belongs to. Of code inside a function, sources have the name of the function.
    fn path(&mut self) -> Option<Vec<String>> {
        while self.eat("Z") {}
        for code in ["TV", "TT", "TI", "TS", "L"] {
            self.eat(code);
        }
        if self.eat("N") {
            return self.nested();
        }
        let mut parts = Vec::new();
        if self.eat("St") {
            parts.push("std".to_owned());
        }
        parts.push(unescaped(self.identifier()?));
        Some(parts)
    }

    /// Reads the names of a path up to its end.
    fn nested(&mut self) -> Option<Vec<String>> {
        // `const`, `&` and others behind a method.
        self.rest = self.rest.trim_start_matches(['r', 'V', 'K', 'R', 'O']);
        let mut parts: Vec<String> = Vec::new();
        // Lambdas and types without a name belong to what is around them.
        while !self.eat("E") && !self.rest.starts_with('U') {
            if self.eat("I") {
                self.skip_arguments()?;
            } else if self.eat("B") {
                self.identifier()?;
            } else if self.eat("St") {
                parts.push("std".to_owned());
            } else if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
                let name = self.identifier()?;
                if !name.starts_with("_GLOBAL__N_") {
                    parts.push(unescaped(name));
                }
            } else if !self.eat("L") {
                let name = self.special(parts.last()?)?;
                parts.push(name);
            }
        }
        (!parts.is_empty()).then_some(parts)
    }

    /// Reads a constructor or destructor of a class, or an operator.
    fn special(&mut self, class: &str) -> Option<String> {
        let (code, rest) = self.rest.split_at_checked(2)?;
        let name = match code {
            "C1" | "C2" | "C3" => class.to_owned(),
            "D0" | "D1" | "D2" => format!("~{class}"),
            _ => {
                let (_, sign) = OPERATORS.iter().find(|(known, _)| *known == code)?;
                format!("operator{sign}")
            }
        };
        self.rest = rest;
        Some(name)
    }

    /// Reads a name behind its length.
    fn identifier(&mut self) -> Option<&'s str> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (length, rest) = self.rest.split_at_checked(digits)?;
        let (name, rest) = rest.split_at_checked(length.parse().ok()?)?;
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }

    /// Skips type arguments up to their end.
    fn skip_arguments(&mut self) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            let mut bytes = self.rest.bytes();
            match (bytes.next()?, bytes.next()) {
                (b'0'..=b'9', _) => {
                    self.identifier()?;
                }
                // Lambdas, and literals of types with a name, have numbers that are no lengths.
                (b'U', Some(b'l' | b't')) | (b'L', Some(b'A'..=b'Z' | b'0'..=b'9')) => return None,
                (b'L', Some(b'_')) => {
                    depth += 1;
                    self.skip("L_Z".len())?;
                }
                (b'L', _) => self.skip_past('E')?,
                (b'S', Some(b'a'..=b'z')) => self.skip(2)?,
                (b'S' | b'T' | b'A', _) => self.skip_past('_')?,
                (b'D', Some(b't' | b'T')) => {
                    depth += 1;
                    self.skip(2)?;
                }
                (b'D', _) => self.skip(2)?,
                (b'N' | b'I' | b'X' | b'J' | b'F' | b'Z', _) => {
                    depth += 1;
                    self.skip(1)?;
                }
                (b'E', _) => {
                    depth -= 1;
                    self.skip(1)?;
                }
                _ => self.skip(1)?,
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_of_cpp_become_those_of_sources() {
        for (symbol, name) in [
            ("_Z3sumi", "sum"),
            ("_ZL3sumi", "sum"),
            ("_ZN4shop4Cart3sumEi", "shop::Cart::sum"),
            ("_ZN4shop17calculateTotalSumEv", "shop::calculateTotalSum"),
            ("__ZN4shop4Cart3sumEi", "shop::Cart::sum"),
            ("_ZNK4shop4Cart3sumEv", "shop::Cart::sum"),
            ("_ZN4shop4CartC1ERKS0_", "shop::Cart::Cart"),
            ("_ZN4shop4CartD2Ev", "shop::Cart::~Cart"),
            ("_ZNK4shop4CarteqERKS0_", "shop::Cart::operator=="),
            ("_ZN12_GLOBAL__N_13sumEv", "sum"),
            ("_ZTVN4shop4CartE", "shop::Cart"),
            ("_ZN4shop4PoolIiLi4ESaIiEE3getEv", "shop::Pool::get"),
            ("_ZN4shop4PoolINS_4CartEE3getEv", "shop::Pool::get"),
            ("_ZN4shop4nameB5cxx11ENS_5RangeIPKcEE", "shop::name"),
            ("_ZZN4shop4Cart3sumEvENKUlvE_clEv", "shop::Cart::sum"),
            ("_ZNSt6vectorIiSaIiEE4sizeEv", "std::vector::size"),
        ] {
            assert_eq!(source_name(symbol).as_deref(), Some(name), "{symbol}");
        }
    }

    #[test]
    fn mangled_names_of_rust_become_those_of_sources() {
        for (symbol, name) in [
            (
                "_ZN4shop4cart4Cart3sum17h0123456789abcdefE",
                "shop::cart::Cart::sum",
            ),
            (
                "_ZN46_$LT$shop..Cart$u20$as$u20$shop..Sum$GT$3sum17h0123456789abcdefE",
                "",
            ),
            (
                "_ZN40_$LT$shop..Cart$u20$as$u20$shop..Sum$GT$3sum17h0123456789abcdefE",
                "<shop::Cart as shop::Sum>::sum",
            ),
        ] {
            let wanted = Some(name).filter(|name| !name.is_empty());
            assert_eq!(source_name(symbol).as_deref(), wanted, "{symbol}");
        }
    }

    #[test]
    fn only_mangled_names_are_replaced() {
        for (line, wanted) in [
            (
                "undefined reference to `_ZN4shop4Cart3sumEi'",
                "undefined reference to `shop::Cart::sum'",
            ),
            ("see _ZN4shop3sumEv.", "see shop::sum."),
            ("ä _Z3sumv ö", "ä sum ö"),
            ("A_Z3sumv _Z _ZN _ZN4shopE9", "A_Z3sumv _Z _ZN shop"),
            (
                "_ZN9999999999999999999999shopE",
                "_ZN9999999999999999999999shopE",
            ),
        ] {
            assert_eq!(with_source_names(line), wanted);
        }
    }
}
