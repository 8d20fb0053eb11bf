//! The owner and permissions of a file that replaces another.

use std::fs::{File, Metadata};
use std::io;

/// Gives a new file the owner, the group and the permissions of the file that it will replace, as far as the system allows. Set-id bits
/// are dropped, because the content is new.
///
/// # Errors
/// If the permissions cannot be set.
#[cfg(unix)]
pub(super) fn adopt(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let current = new.metadata()?;
    if (current.uid(), current.gid()) != (old.uid(), old.gid()) {
        // Others than the administrator may not give files away, and may choose among their own groups only.
        let _ = fchown(new, Some(old.uid()), Some(old.gid()))
            .or_else(|_| fchown(new, None, Some(old.gid())));
    }
    let mut mode = old.mode() & 0o777;
    if new.metadata()?.gid() != old.gid() {
        // A different group gets the permissions of others.
        mode = mode & !0o070 | (mode & 0o007) << 3;
    }
    new.set_permissions(PermissionsExt::from_mode(mode))
}

/// Gives a new file the permissions of the file that it will replace.
#[cfg(not(unix))]
pub(super) fn adopt(new: &File, old: &Metadata) -> io::Result<()> {
    new.set_permissions(old.permissions())
}

/// Whether a link to `file` in place of `old` has the owner, the group and the permissions that a new file would adopt. Without an
/// old file, only set-id bits matter.
#[cfg(unix)]
pub(super) fn would_be_kept(file: &Metadata, old: Option<&Metadata>) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |file: &Metadata| (file.uid(), file.gid(), file.mode() & 0o777);
    file.mode() & 0o6000 == 0 && old.is_none_or(|old| of(file) == of(old))
}

/// Whether a link to `file` in place of `old` has the permissions that a new file would adopt.
#[cfg(not(unix))]
pub(super) fn would_be_kept(file: &Metadata, old: Option<&Metadata>) -> bool {
    old.is_none_or(|old| file.permissions() == old.permissions())
}
