//! Recognises what titles in other languages than English ask for, by a few of their commonest words. Chinese, Japanese
//! and Korean words are found anywhere in a title, since no spaces separate them; the others are whole words, or their
//! beginnings (`исправ*`).

use foveate_index::tokens::is_unspaced;

use super::IntentKind;

/// Name of the signal.
const NAME: &str = "other_language";

/// Words of each kind. The first row that matches decides: "为什么登录失败" is a question, "修复测试失败" a repair.
const ROWS: &[(IntentKind, &[&str])] = &[
    (
        IntentKind::DefinitionLookup,
        &[
            "在哪", "哪里", "どこで定義", "どこに", "어디", "где", "dónde", "onde", "wo", "où",
        ],
    ),
    (
        IntentKind::Explanation,
        &[
            "如何", "怎么", "怎样", "为什么", "是什么", "何故", "なぜ", "どうやって", "방법",
            "어떻게", "почему", "как", "cómo", "por qué", "pourquoi", "warum", "wieso",
        ],
    ),
    (
        IntentKind::TestWriting,
        &[
            "单元测试", "补充测试", "增加测试", "添加测试", "テストを追加", "테스트 추가", "тесты",
        ],
    ),
    (
        IntentKind::Refactor,
        &[
            "重构", "重命名", "リファクタ", "리팩", "рефактор*", "refactorizar", "refatorar",
            "umbenennen", "renommer",
        ],
    ),
    (
        IntentKind::BugFix,
        &[
            "修复", "修正", "修改错误", "解决", "报错", "错误", "异常", "失败", "崩溃", "无法",
            "不能", "失效", "不生效", "乱码", "冲突", "问题", "漏洞", "兼容性", "不具合", "バグ",
            "エラー", "直す", "直し", "できない", "しない", "クラッシュ", "失敗", "오류", "버그",
            "에러", "실패", "수정", "안됨", "исправ*", "ошибк*", "пада*", "не работает",
            "corregir", "corrige", "arreglar", "arregla", "falla", "corrigir", "erro", "falha",
            "corriger", "erreur", "plante", "beheben", "behebt", "fehler", "korrigiert",
            "funktioniert nicht",
        ],
    ),
    (
        IntentKind::Implementation,
        &[
            "新增", "增加", "添加", "支持", "实现", "优化", "升级", "追加", "対応", "サポート",
            "実装", "추가", "지원", "구현", "добав*", "поддержк*", "реализ*", "añadir", "agregar",
            "agrega", "soporte", "adicionar", "adiciona", "suporte", "ajouter", "ajout",
            "hinzufügen", "unterstützung",
        ],
    ),
];

/// Returns what a title in another language asks for, with the name of the signal.
pub(super) fn read(title: &str) -> Option<(IntentKind, &'static str)> {
    let lower = title.to_lowercase();
    let row = ROWS
        .iter()
        .find(|(_, words)| words.iter().any(|word| has_word(&lower, word)))?;
    Some((row.0, NAME))
}

/// Reads a title in Chinese, Japanese or Korean: without spaces, a sentence around a name looks like the name alone. A
/// sentence without any known word is most likely about a bug. `None` for other titles.
pub(super) fn read_unspaced(title: &str) -> Option<(IntentKind, &'static str)> {
    const MAX_NAME: usize = 12;
    let letters = title.chars().filter(|c| is_unspaced(*c)).count();
    let sentence = (letters > MAX_NAME).then_some((IntentKind::BugFix, "issue_text"));
    (letters > 0).then(|| read(title).or(sentence)).flatten()
}

/// Whether a text in lower case has a word, or one with this beginning.
fn has_word(text: &str, word: &str) -> bool {
    let (word, is_beginning) = match word.strip_suffix('*') {
        Some(beginning) => (beginning, true),
        None => (word, false),
    };
    if word.starts_with(is_unspaced) {
        return text.contains(word);
    }
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + word.len()..));
        let starts = !before.is_some_and(|text| text.ends_with(is_letter));
        let ends = !after.is_some_and(|text| text.starts_with(is_letter));
        starts && (ends || is_beginning)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_in_other_languages_have_intents() {
        use IntentKind::*;
        for (title, kind) in [
            ("修复登录接口空指针异常", BugFix),
            ("DialogChat组件打开时报错", BugFix),
            ("新增导出 Excel 功能", Implementation),
            ("重构用户模块", Refactor),
            ("为订单服务补充测试", TestWriting),
            ("如何配置多数据源", Explanation),
            ("parse_header 在哪里定义", DefinitionLookup),
            ("ダイアログを閉じるとクラッシュする", BugFix),
            ("辞書のエクスポートに対応", Implementation),
            ("로그인 오류 수정", BugFix),
            ("다크 모드 지원", Implementation),
            ("Исправлена ошибка при загрузке", BugFix),
            ("Добавить поддержку PostgreSQL", Implementation),
            ("Corregir el error al guardar", BugFix),
            ("Adicionar suporte a Redis", Implementation),
            ("Corriger le calcul de la remise", BugFix),
            ("Fehler beim Speichern beheben", BugFix),
            ("Warum wird der Index neu gebaut?", Explanation),
        ] {
            assert_eq!(read(title).map(|(kind, _)| kind), Some(kind), "{title}");
        }
        for title in [
            "Cart total is rounded", "wo_count is off", "Fix the ondemand loader",
        ] {
            assert_eq!(read(title), None, "{title}");
        }
    }
}
