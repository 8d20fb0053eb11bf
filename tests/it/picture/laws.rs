//! What holds for every picture: nothing is lost, whatever is folded.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use ckdiff::artifact::Document;
use ckdiff::overview::{Contents, Graph, Overview};
use ckdiff::picture::{BlockKind, Callee, Drawing, Fold, Item, Picture};

use super::{files, graph, node};
use crate::support::Random;
use crate::support::message_forms::{document, opened};
use ckdiff::artifact::Form;

const FOLDS: &[Fold] = &[
    Fold::Boxes(1),
    Fold::Boxes(7),
    Fold::Boxes(60),
    Fold::Boxes(100_000),
    Fold::Depth(0),
    Fold::Depth(1),
    Fold::Depth(2),
    Fold::Depth(1_000),
];

/// The nodes of a document: those of graphs, and those of functions.
fn nodes(document: &Document<'_>) -> Option<u64> {
    let of = |graph: &Graph| graph.nodes + graph.functions.iter().map(|of| of.nodes).sum::<u64>();
    match &Overview::new(document).unwrap().contents {
        Contents::MetaGraphs(graphs) => Some(graphs.iter().map(|meta| of(&meta.graph)).sum()),
        Contents::Graph(graph) => Some(of(graph)),
        Contents::Other(_) => None,
    }
}

/// Every box and cluster is in one place, and every edge between boxes that exist.
fn check_structure(drawing: &Drawing) {
    let (mut blocks, mut clusters) =
        (vec![0; drawing.blocks.len()], vec![0; drawing.clusters.len()]);
    let lists = drawing.clusters.iter().map(|cluster| &cluster.items).chain([&drawing.items]);
    for item in lists.flatten() {
        match *item {
            Item::Block(at) => blocks[at] += 1,
            Item::Cluster(at) => clusters[at] += 1,
        }
    }
    assert!(blocks.iter().chain(&clusters).all(|&times| times == 1), "{drawing:?}");
    assert!(drawing.clusters.iter().all(|cluster| !cluster.items.is_empty()));
    let pairs: Vec<_> = drawing.edges.iter().map(|of| (of.from, of.to, of.is_control)).collect();
    assert!(pairs.windows(2).all(|pair| pair[0] < pair[1]), "{pairs:?}");
    for edge in &drawing.edges {
        assert!(edge.from < blocks.len() && edge.to < blocks.len() && edge.inputs > 0);
        assert_eq!(edge.tensors == 0, edge.is_control);
        assert!(edge.tensors <= edge.inputs);
        assert!(
            edge.from != edge.to
                || matches!(drawing.blocks[edge.from].kind, BlockKind::Node { .. })
        );
    }
    for call in &drawing.calls {
        let exists = match call.to {
            Callee::Block(at) => at < blocks.len(),
            Callee::Cluster(at) => at < clusters.len(),
        };
        assert!(exists && call.from < blocks.len());
    }
}

#[test]
fn every_node_is_in_one_box() {
    let mut calls = 0;
    for path in files() {
        let document = opened(&path);
        let picture = Picture::new(&document).unwrap();
        for &fold in FOLDS {
            let drawing = picture.fold(fold);
            check_structure(&drawing);
            let sum: u64 = drawing.blocks.iter().map(|block| block.nodes).sum();
            assert_eq!(nodes(&document).unwrap_or(sum), sum, "{} {fold:?}", path.display());
            if let Fold::Boxes(most @ 3..) = fold {
                assert!(drawing.blocks.len() <= most, "{} {fold:?}", path.display());
            }
            calls += drawing.calls.len();
        }
    }
    assert!(calls > 100, "{calls}");
}

/// A random graph with scopes.
fn random_nodes(random: &mut Random) -> Vec<(String, &'static str, Vec<String>)> {
    let scopes = ["", "a/", "a/b/", "a/b/c/", "d/", "d//", "/", "a-b/", "a/b"];
    let mut nodes: Vec<(String, &str, Vec<String>)> = Vec::new();
    for at in 0..random.below(60) {
        let scope = scopes[random.below(scopes.len() as u64) as usize];
        let op = ["MatMul", "Const", "AddV2"][random.below(3) as usize];
        let mut inputs = Vec::new();
        for _ in 0..random.below(4) {
            let lead = if random.one_in(4) { "^" } else { "" };
            let port = if lead.is_empty() && random.one_in(3) { ":1" } else { "" };
            let source = nodes.get(random.below(at + 1) as usize).map(|of| of.0.clone());
            inputs.push(format!("{lead}{}{port}", source.unwrap_or_else(|| "gone".into())));
        }
        inputs.sort_by_key(|input| input.starts_with('^'));
        nodes.push((format!("{scope}n{at}"), op, inputs));
    }
    nodes
}

fn of_random(nodes: &[(String, &'static str, Vec<String>)]) -> Document<'static> {
    let inputs: Vec<Vec<&str>> =
        nodes.iter().map(|of| of.2.iter().map(String::as_str).collect()).collect();
    let nodes: Vec<_> = nodes
        .iter()
        .zip(&inputs)
        .map(|(of, inputs)| (of.0.as_str(), of.1, inputs.as_slice()))
        .collect();
    graph(&nodes)
}

/// The inputs between outermost scopes, by whether they are control inputs; and the pairs of these.
fn between_scopes(nodes: &[(String, &'static str, Vec<String>)]) -> ([u64; 2], usize) {
    let scope = |name: &str| name.split('/').next().unwrap().to_owned();
    let names: Vec<&str> = nodes.iter().map(|of| of.0.as_str()).collect();
    let (mut inputs, mut pairs) = ([0; 2], BTreeMap::new());
    for (name, _, of) in nodes {
        for input in of {
            let is_control = input.starts_with('^');
            let source = input.trim_start_matches('^').split(':').next().unwrap();
            if names.contains(&source) && scope(source) != scope(name) {
                inputs[usize::from(is_control)] += 1;
                pairs.insert((scope(source), scope(name), is_control), ());
            }
        }
    }
    (inputs, pairs.len())
}

#[test]
fn every_edge_is_in_the_picture() {
    for seed in 0..200 {
        let nodes = random_nodes(&mut Random::new(seed));
        let document = of_random(&nodes);
        let picture = Picture::new(&document).unwrap();
        let whole = picture.fold(Fold::Boxes(1_000));
        check_structure(&whole);
        assert_eq!(whole.blocks.len(), nodes.len().max(1), "seed {seed}");
        // Inputs that name no node are not drawn.
        let names: Vec<&str> = nodes.iter().map(|of| of.0.as_str()).collect();
        let is_bound = |input: &&String| {
            names.contains(&input.trim_start_matches('^').split(':').next().unwrap())
        };
        let inputs = nodes.iter().flat_map(|of| &of.2).filter(is_bound).count() as u64;
        let drawn: u64 = whole.edges.iter().map(|edge| edge.inputs).sum();
        assert_eq!(drawn, inputs, "seed {seed}");
        // Each outermost scope is one box.
        let outer = picture.fold(Fold::Depth(1));
        let (expected, pairs) = between_scopes(&nodes);
        let of_kind = |is_control| {
            let edges = outer.edges.iter().filter(|edge| edge.is_control == is_control);
            edges.map(|edge| edge.inputs).sum::<u64>()
        };
        assert_eq!([of_kind(false), of_kind(true)], expected, "seed {seed}");
        assert_eq!(outer.edges.len(), pairs, "seed {seed}");
    }
}

#[test]
fn the_order_of_nodes_changes_no_picture() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let mut nodes = random_nodes(&mut random);
        let document = of_random(&nodes);
        for at in (1..nodes.len()).rev() {
            nodes.swap(at, random.below(at as u64 + 1) as usize);
        }
        let shuffled = of_random(&nodes);
        let pictures = [&document, &shuffled].map(|of| Picture::new(of).unwrap());
        for &fold in FOLDS {
            assert_eq!(pictures[0].fold(fold), pictures[1].fold(fold), "seed {seed}, {fold:?}");
        }
    }
}

#[test]
fn a_duplicate_name_is_two_boxes() {
    let document = graph(&[("x", "Const", &[]), ("x", "Const", &[]), ("y", "Neg", &["x"])]);
    let drawing = Picture::new(&document).unwrap().fold(Fold::default());
    assert_eq!((drawing.blocks.len(), drawing.edges.len()), (3, 1));
}

/// The name of each node.
type Naming = fn(usize) -> String;

/// A graph of 100,000 nodes with names of this kind.
fn large(name: Naming) -> Document<'static> {
    const NODES: usize = 100_000;
    let names: Vec<_> = (0..NODES).map(name).collect();
    let ops: Vec<_> = (0..50).map(|op| format!("Op{op}")).collect();
    let bytes = (0..NODES).flat_map(|at| {
        let inputs = [names[at / 2].as_str(), names[at.saturating_sub(1)].as_str()];
        node((&names[at], &ops[at % 50], &inputs))
    });
    document("tensorflow.GraphDef", Form::Binary, &bytes.collect::<Vec<_>>())
}

#[test]
fn large_graphs_are_folded() {
    let names: [(&str, Naming); 5] = [
        ("flat", |at| format!("n{at}")),
        ("scopes", |at| format!("s{}/t{}/n{at}", at % 100, at % 1_000)),
        ("nested", |at| format!("{}n{at}", "s/".repeat(at % 100))),
        ("one scope", |at| format!("model/layer{}/n{at}", at % 100)),
        ("many scopes", |at| format!("s{}/n{at}", at / 2)),
    ];
    for (kind, name) in names {
        let document = large(name);
        let start = Instant::now();
        let drawing = Picture::new(&document).unwrap().fold(Fold::default());
        let boxes = drawing.blocks.len();
        assert!((2..=60).contains(&boxes), "{kind}: {boxes} boxes");
        assert_eq!(drawing.blocks.iter().map(|of| of.nodes).sum::<u64>(), 100_000, "{kind}");
        check_structure(&drawing);
        assert!(start.elapsed() < Duration::from_secs(60), "{kind}: {:?}", start.elapsed());
    }
}
