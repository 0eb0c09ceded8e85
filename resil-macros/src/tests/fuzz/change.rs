//! What is done to a sound input.

use proc_macro2::Delimiter;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::tree::{Input, Tree, count, trees};

/// Inputs do not grow over this many tokens.
const LARGEST: usize = 1_200;

#[derive(Clone, Debug)]
enum Edit {
    Delete,
    Duplicate,
    SwapWithNext,
    Replace(Vec<Tree>),
    Insert(Vec<Tree>),
    /// With a copy of another place.
    Copy(Index),
    /// Drops what a group holds behind some point.
    Truncate(Index),
    /// Puts a group around some tokens.
    Wrap(Delimiter, usize),
    /// Takes the delimiters of a group away.
    Unwrap,
    /// Puts a part of another input here.
    Splice(Index, Index, usize),
}

/// One change, of the item or of what the attribute says.
#[derive(Clone, Debug)]
struct Change {
    item: bool,
    place: Index,
    edit: Edit,
}

/// One of `seeds`, with some changes; `texts` are what random tokens are taken from.
pub(super) fn changed(
    seeds: &'static [(&'static str, &'static str)],
    texts: &'static [&'static str],
) -> impl Strategy<Value = Input> {
    let parsed: Vec<Input> = seeds.iter().map(|(args, item)| sound(args, item)).collect();
    (any::<Index>(), vec(change(texts), 1..6)).prop_map(move |(seed, changes)| {
        let mut input = seed.get(&parsed).clone();
        for change in changes {
            change.apply(&mut input, &parsed);
        }
        input
    })
}

pub(super) fn sound(args: &str, item: &str) -> Input {
    Input {
        args: trees(args),
        item: trees(item),
    }
}

/// Any tokens at all, also in place of the `body` of an impl or a type.
pub(super) fn random(texts: &'static [&'static str], head: &'static str) -> impl Strategy<Value = Input> {
    (forest(texts), forest(texts), any::<bool>()).prop_map(move |(args, body, within)| {
        let mut item = body;
        if within {
            let braces = Tree::Group(Delimiter::Brace, item);
            item = trees(head);
            item.push(braces);
        }
        Input { args, item }
    })
}

fn change(texts: &'static [&'static str]) -> impl Strategy<Value = Change> {
    (any::<bool>(), any::<Index>(), edit(texts)).prop_map(|(item, place, edit)| Change { item, place, edit })
}

fn edit(texts: &'static [&'static str]) -> impl Strategy<Value = Edit> {
    prop_oneof![
        3 => Just(Edit::Delete),
        2 => Just(Edit::Duplicate),
        2 => Just(Edit::SwapWithNext),
        3 => forest(texts).prop_map(Edit::Replace),
        3 => forest(texts).prop_map(Edit::Insert),
        2 => any::<Index>().prop_map(Edit::Copy),
        1 => any::<Index>().prop_map(Edit::Truncate),
        2 => (delimiter(), 0..4_usize).prop_map(|(delimiter, width)| Edit::Wrap(delimiter, width)),
        1 => Just(Edit::Unwrap),
        2 => (any::<Index>(), any::<Index>(), 1..12_usize).prop_map(|(seed, from, width)| Edit::Splice(seed, from, width)),
    ]
}

fn delimiter() -> impl Strategy<Value = Delimiter> {
    select(vec![
        Delimiter::None,
        Delimiter::Parenthesis,
        Delimiter::Bracket,
        Delimiter::Brace,
    ])
}

fn forest(texts: &'static [&'static str]) -> impl Strategy<Value = Vec<Tree>> {
    let leaf = select(texts).prop_map(|text| Tree::Leaf(text.to_owned()));
    let tree = leaf.prop_recursive(3, 12, 4, |inner| {
        (delimiter(), vec(inner, 0..4)).prop_map(|(delimiter, inner)| Tree::Group(delimiter, inner))
    });
    vec(tree, 0..5)
}

impl Change {
    fn apply(self, input: &mut Input, seeds: &[Input]) {
        let forest = if self.item {
            &mut input.item
        } else {
            &mut input.args
        };
        let all = count(forest);
        if all == 0 {
            if let Edit::Insert(trees) | Edit::Replace(trees) = self.edit {
                forest.extend(trees);
            }
            return;
        }
        let copy = match &self.edit {
            Edit::Copy(place) => Some(find(forest, place.index(all))),
            _ => None,
        };
        let before = forest.clone();
        let (siblings, index) = locate(forest, self.place.index(all));
        self.edit.at(siblings, index, copy, seeds);
        if count(forest) > LARGEST {
            *forest = before;
        }
    }
}

impl Edit {
    fn at(self, siblings: &mut Vec<Tree>, index: usize, copy: Option<Tree>, seeds: &[Input]) {
        match self {
            Self::Delete => {
                siblings.remove(index);
            }
            Self::Duplicate => siblings.insert(index, siblings[index].clone()),
            Self::SwapWithNext => {
                let next = (index + 1).min(siblings.len() - 1);
                siblings.swap(index, next);
            }
            Self::Replace(trees) => {
                siblings.splice(index..=index, trees);
            }
            Self::Insert(trees) => {
                siblings.splice(index..index, trees);
            }
            Self::Copy(_) => siblings[index] = copy.expect("it was taken before"),
            Self::Truncate(at) => {
                if let Tree::Group(_, inner) = &mut siblings[index] {
                    let kept = at.index(inner.len() + 1);
                    inner.truncate(kept);
                } else {
                    siblings.truncate(index);
                }
            }
            Self::Wrap(delimiter, width) => {
                let end = (index + width).min(siblings.len());
                let inner: Vec<Tree> = siblings.drain(index..end).collect();
                siblings.insert(index, Tree::Group(delimiter, inner));
            }
            Self::Unwrap => {
                if let Tree::Group(_, inner) = &siblings[index] {
                    let inner = inner.clone();
                    siblings.splice(index..=index, inner);
                }
            }
            Self::Splice(seed, from, width) => {
                let seed = seed.get(seeds);
                let mut all = seed.args.clone();
                all.extend(seed.item.clone());
                let (source, start) = {
                    let place = from.index(count(&all));
                    locate(&mut all, place)
                };
                let end = (start + width).min(source.len());
                let part: Vec<Tree> = source[start..end].to_vec();
                siblings.splice(index..index, part);
            }
        }
    }
}

fn find(forest: &mut Vec<Tree>, place: usize) -> Tree {
    let (siblings, index) = locate(forest, place);
    siblings[index].clone()
}

/// The tree that comes as number `place`, from the outside in: among what, and where there.
fn locate(forest: &mut Vec<Tree>, place: usize) -> (&mut Vec<Tree>, usize) {
    let mut left = place;
    let mut index = 0;
    while let Some(tree) = forest.get(index) {
        let size = count(std::slice::from_ref(tree));
        if left == 0 {
            break;
        }
        if left < size {
            let Some(Tree::Group(_, inner)) = forest.get_mut(index) else {
                unreachable!("a leaf has size 1");
            };
            return locate(inner, left - 1);
        }
        left -= size;
        index += 1;
    }
    (forest, index)
}
