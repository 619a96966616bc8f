//! Resolves the modules of the toy language: `use shop.cart: Cart` means `shop/cart.toy`, from the root or
//! from the importer's directory.

use foveate_model::resolution::{FileTree, ModuleResolver, ModuleSystem};
use foveate_model::{FileId, ImportKind};

use crate::paths::join;

pub(super) static MODULES: ModuleSystem = ModuleSystem {
    module_name: |path| Some(path.stem()),
    imported_name: |module| module.rsplit('.').next(),
    ..ModuleSystem::new(|_| Box::new(Toys))
};

#[derive(Debug)]
struct Toys;

impl ModuleResolver for Toys {
    fn resolve(
        &self,
        files: &dyn FileTree,
        importer: FileId,
        module: &str,
        _kind: ImportKind,
    ) -> Option<FileId> {
        self.absolute(files, Some(importer), module)
    }

    fn absolute(
        &self,
        files: &dyn FileTree,
        importer: Option<FileId>,
        name: &str,
    ) -> Option<FileId> {
        let path = format!("{}.toy", name.replace('.', "/"));
        let directory = importer.map_or("", |id| files.file(id).path.directory());
        [directory, ""]
            .iter()
            .find_map(|above| files.find(&join(above, &path)?))
    }
}
