//! Runs the fuzz targets on the committed seeds: typical inputs, and inputs that once broke something. `cargo fuzz`
//! calls the same functions with generated inputs.

#[path = "../../fuzz/src/engine.rs"]
mod engine;
#[path = "../../fuzz/src/service.rs"]
mod service;

use std::path::Path;

/// The name of a target and its function.
type Target = (&'static str, fn(&[u8]));

#[test]
fn fuzz_seeds_pass_all_targets() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let targets: [Target; 9] = [
        ("query", engine::query),
        ("traces", engine::traces),
        ("junit", engine::junit),
        ("log", engine::log),
        ("file", engine::file),
        ("event", service::event),
        ("reference", service::reference),
        ("settings", service::settings),
        ("webhook", service::webhook),
    ];
    let names: Vec<&str> = targets.iter().map(|(name, _)| *name).collect();
    for entry in std::fs::read_dir(seeds.parent().unwrap().join("fuzz_targets")).unwrap() {
        let path = entry.unwrap().path();
        assert!(
            names.contains(&path.file_stem().unwrap().to_str().unwrap()),
            "{path:?}"
        );
    }
    for (name, read) in targets {
        let mut count = 0;
        for entry in std::fs::read_dir(seeds.join(name)).unwrap() {
            read(&std::fs::read(entry.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count > 0, "{name} has no seed");
    }
    assert_eq!(
        std::fs::read_dir(seeds.join("file")).unwrap().count(),
        engine::NAMES.len()
    );
}
