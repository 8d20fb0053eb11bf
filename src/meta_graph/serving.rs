//! What a meta graph says to whoever uses it: signatures, the files that its nodes read, and its saver.

use std::collections::BTreeMap;

use prost_reflect::prost::{self, Message as _, Name};

use super::collection::{Collections, Item, Kind, joined, no_message};
use super::parts::{Parts, entry_with};
use crate::error::{Error, Result, abridged};
use crate::message::{Message, encoded, nested, string};
use crate::schema::field::{any, collection_def::any_list, meta_graph_def};
use crate::schema::google::protobuf::Any;
use crate::schema::tensorflow::tensor_info::Encoding;
use crate::schema::tensorflow::{AssetFileDef, SaverDef, SignatureDef, TensorInfo};

/// The collection that TensorFlow 1 has assets in.
pub const ASSETS_KEY: &str = "saved_model_assets";

/// What the type of a message in an `Any` begins with.
const TYPE_URL: &str = "type.googleapis.com/";

/// The signatures of `meta`, a `MetaGraphDef`, by name.
///
/// # Errors
/// When it is another message, or a signature cannot be decoded.
pub fn signatures(meta: &Message<'_>) -> Result<BTreeMap<String, SignatureDef>> {
    let parts = Parts::of(meta)?;
    let decoded = parts.signatures.iter().map(|(name, (_, signature))| {
        let found = decode(signature);
        let found = found.map_err(|e: Error| e.in_field(&format!("signature_def[{name:?}]")));
        Ok(((*name).to_owned(), found?))
    });
    decoded.collect()
}

/// The meta graph with `signatures` in the place of those of the same names, and beside all others.
///
/// # Errors
/// When `meta` is no `MetaGraphDef`.
pub fn with_signatures<'s>(
    meta: &Message<'s>,
    signatures: &BTreeMap<String, SignatureDef>,
) -> Result<Message<'s>> {
    let mut parts = Parts::of(meta)?;
    let known = parts.signatures.iter();
    let mut all: BTreeMap<&str, Vec<u8>> =
        known.map(|(name, (entry, _))| (*name, entry.to_vec())).collect();
    for (name, signature) in signatures {
        let old = parts.signatures.get(&**name).map(|(entry, _)| *entry).unwrap_or_default();
        all.insert(name, entry_with(name, old, &signature.encode_to_vec()));
    }
    parts.new.set_list(meta_graph_def::SIGNATURE_DEF, all.values());
    // Maps that were encoded here are in hash order.
    Message::decode(meta.schema(), meta.ty(), parts.message(meta).into_bytes())
}

/// The assets of `meta`, a `MetaGraphDef`: files and the tensors that take their paths. As TensorFlow has it, those of the
/// collection [`ASSETS_KEY`] count where `asset_file_def` has none.
///
/// # Errors
/// When it is another message, or one of them is none.
pub fn assets(meta: &Message<'_>) -> Result<Vec<AssetFileDef>> {
    assets_of(Parts::of(meta)?)
}

/// As [`assets`], of the bytes of a `MetaGraphDef`.
///
/// # Errors
/// When one of them is none.
pub(crate) fn assets_in(meta: &[u8]) -> Result<Vec<AssetFileDef>> {
    assets_of(Parts::of_bytes(meta))
}

fn assets_of(parts: Parts<'_>) -> Result<Vec<AssetFileDef>> {
    if !parts.assets.is_empty() {
        return parts.assets.iter().map(|asset| decode(asset)).collect();
    }
    let collections = Collections::of_parts(parts);
    let unpack = |(index, item)| match item {
        Item::Any(any) if is_asset(string(any, any::TYPE_URL)) => decode(nested(any, any::VALUE)),
        Item::Any(any) => Err(no_message(
            ASSETS_KEY,
            index,
            AssetFileDef::NAME,
            &abridged(string(any, any::TYPE_URL)),
        )),
        other => {
            let found = format!("one of a {}", other.kind());
            Err(no_message(ASSETS_KEY, index, AssetFileDef::NAME, &found))
        }
    };
    collections.items(ASSETS_KEY).into_iter().enumerate().map(unpack).collect()
}

/// The meta graph with `assets` in the place of those that it has: in `asset_file_def` if it has them there, and then in the order that
/// they have, since the objects of TensorFlow 2 go by their numbers; else in the collection [`ASSETS_KEY`].
///
/// # Errors
/// When `meta` is no `MetaGraphDef`, or an asset that it has is none.
pub fn with_assets<'s>(meta: &Message<'s>, assets: &[AssetFileDef]) -> Result<Message<'s>> {
    let mut parts = Parts::of(meta)?;
    if !parts.assets.is_empty() {
        let mut left: Vec<_> = assets.iter().collect();
        let mut sorted = Vec::new();
        for known in self::assets(meta)? {
            let at = left.iter().position(|asset| tensor_of(asset) == tensor_of(&known));
            sorted.extend(at.map(|at| left.remove(at)));
        }
        let assets = sorted.into_iter().chain(left).map(AssetFileDef::encode_to_vec);
        parts.new.set_list(meta_graph_def::ASSET_FILE_DEF, assets);
        return Ok(parts.message(meta));
    }
    let any = |asset: &AssetFileDef| {
        let url = format!("{TYPE_URL}{}", AssetFileDef::full_name());
        let any = Any { type_url: url, value: asset.encode_to_vec() };
        encoded(any_list::VALUE, &any.encode_to_vec())
    };
    match assets {
        [] => parts.remove_collection(ASSETS_KEY),
        _ => {
            let list: Vec<u8> = assets.iter().flat_map(any).collect();
            parts.set_collection(ASSETS_KEY, joined(Kind::AnyList, &[], &list));
        }
    }
    Ok(parts.message(meta))
}

/// The tensor that takes the path of an asset.
fn tensor_of(asset: &AssetFileDef) -> Option<&str> {
    name_of(asset.tensor_info.as_ref()?)
}

/// The name of the one tensor, or op, that a `TensorInfo` stands for.
pub(crate) fn name_of(info: &TensorInfo) -> Option<&str> {
    match info.encoding.as_ref()? {
        Encoding::Name(name) => Some(name),
        _ => None,
    }
}

/// The saver of `meta`, a `MetaGraphDef`; `None` where it has none.
///
/// # Errors
/// When it is another message, or its saver cannot be decoded.
pub fn saver_def(meta: &Message<'_>) -> Result<Option<SaverDef>> {
    let saver = Parts::of(meta)?.saver.map(decode).transpose();
    saver.map_err(|error: Error| error.in_field("saver_def"))
}

/// Whether an `Any` of this type holds an asset.
fn is_asset(type_url: &str) -> bool {
    type_url.rsplit_once('/').is_some_and(|(_, name)| *name == *AssetFileDef::full_name())
}

fn decode<M: prost::Message + Default>(bytes: &[u8]) -> Result<M> {
    let fail = |error: prost::DecodeError| {
        Error::unexpected("message", error, "it must be of its field's type")
    };
    M::decode(bytes).map_err(fail)
}
