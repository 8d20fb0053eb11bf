//! The parts of a meta graph for its users: signatures, assets and the saver.

use std::collections::BTreeMap;

use prost::{self, Message as _, Name};

use super::collection::{Collections, Item, Kind, joined, other_item};
use super::parts::{Parts, entry_with};
use crate::error::{Error, Result, abridged, with_article};
use crate::message::{Message, encoded, nested, string};
use crate::schema::field::{any, collection_def::any_list, meta_graph_def};
use crate::schema::google::protobuf::Any;
use crate::schema::tensorflow::tensor_info::Encoding;
use crate::schema::tensorflow::{AssetFileDef, SaverDef, SignatureDef, TensorInfo};

/// The collection with the assets of TensorFlow 1.
pub const ASSETS_KEY: &str = "saved_model_assets";

/// The prefix of the type URL of an `Any`.
const TYPE_URL: &str = "type.googleapis.com/";

/// The signatures of `meta`, a `MetaGraphDef`, by name.
///
/// # Errors
/// If `meta` is another message, or a signature cannot be decoded.
pub fn signatures(meta: &Message<'_>) -> Result<BTreeMap<String, SignatureDef>> {
    let parts = Parts::of(meta)?;
    let decoded = parts.signatures.iter().map(|(name, (_, signature))| {
        let found = decode(signature);
        let found = found.map_err(|e: Error| e.in_field(&format!("signature_def[{name:?}]")));
        Ok(((*name).to_owned(), found?))
    });
    decoded.collect()
}

/// Adds `signatures` to the meta graph; they replace those of the same names.
///
/// # Errors
/// If `meta` is not a `MetaGraphDef`.
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
    // Encoded structs need not be in canonical form.
    Message::decode(meta.schema(), meta.ty(), parts.message(meta).into_bytes())
}

/// The assets of `meta`, a `MetaGraphDef`: files and the tensors that receive their paths. As in TensorFlow, these are the assets in
/// `asset_file_def`, or else those in the collection [`ASSETS_KEY`].
///
/// # Errors
/// If `meta` is another message, or an asset cannot be decoded.
pub fn assets(meta: &Message<'_>) -> Result<Vec<AssetFileDef>> {
    assets_of(Parts::of(meta)?)
}

/// [`assets`] for the bytes of a `MetaGraphDef`.
///
/// # Errors
/// If an asset cannot be decoded.
pub(crate) fn assets_in(meta: &[u8]) -> Result<Vec<AssetFileDef>> {
    assets_of(Parts::of_bytes(meta))
}

fn assets_of(parts: Parts<'_>) -> Result<Vec<AssetFileDef>> {
    if !parts.assets.is_empty() {
        return parts.assets.iter().map(|asset| decode(asset)).collect();
    }
    let collections = Collections::of_parts(parts);
    let unpack = |(index, item)| {
        let found = match item {
            Item::Any(any) => match string(any, any::TYPE_URL) {
                url if is_asset(url) => return decode(nested(any, any::VALUE)),
                url => abridged(url).to_string(),
            },
            other => other.described(),
        };
        Err(other_item(ASSETS_KEY, index, AssetFileDef::NAME, &found))
    };
    collections.items(ASSETS_KEY).into_iter().enumerate().map(unpack).collect()
}

/// Replaces the assets of the meta graph: in `asset_file_def` if it has assets there, or else in the collection [`ASSETS_KEY`].
/// Assets in `asset_file_def` keep their order, since objects of TensorFlow 2 refer to them by number.
///
/// # Errors
/// If `meta` is not a `MetaGraphDef`, or one of its assets cannot be decoded.
pub fn with_assets<'s>(meta: &Message<'s>, assets: &[AssetFileDef]) -> Result<Message<'s>> {
    let mut parts = Parts::of(meta)?;
    if !parts.assets.is_empty() {
        let mut unmatched: Vec<_> = assets.iter().collect();
        let mut sorted = Vec::new();
        for known in self::assets(meta)? {
            let at = unmatched.iter().position(|asset| tensor_of(asset) == tensor_of(&known));
            sorted.extend(at.map(|at| unmatched.remove(at)));
        }
        let assets = sorted.into_iter().chain(unmatched).map(AssetFileDef::encode_to_vec);
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

/// The tensor that receives the path of an asset.
fn tensor_of(asset: &AssetFileDef) -> Option<&str> {
    name_of(asset.tensor_info.as_ref()?)
}

/// The name of the single tensor or op that a `TensorInfo` refers to.
pub(crate) fn name_of(info: &TensorInfo) -> Option<&str> {
    match info.encoding.as_ref()? {
        Encoding::Name(name) => Some(name),
        _ => None,
    }
}

/// The saver of `meta`, a `MetaGraphDef`, if it has one.
///
/// # Errors
/// If `meta` is another message, or the saver cannot be decoded.
pub fn saver_def(meta: &Message<'_>) -> Result<Option<SaverDef>> {
    let saver = Parts::of(meta)?.saver.map(decode).transpose();
    saver.map_err(|error: Error| error.in_field("saver_def"))
}

/// Whether an `Any` of this type contains an asset.
fn is_asset(type_url: &str) -> bool {
    type_url.rsplit_once('/').is_some_and(|(_, name)| *name == *AssetFileDef::full_name())
}

fn decode<M: prost::Message + Name + Default>(bytes: &[u8]) -> Result<M> {
    M::decode(bytes).map_err(|error| Error::malformed("message", with_article(M::NAME), error))
}
