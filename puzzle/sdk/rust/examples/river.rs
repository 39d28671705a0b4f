//! A puzzle as a WebAssembly module, as a starting point for your own: a farmer takes a wolf,
//! a goat and a cabbage across a river, in a boat for two. Left alone, the wolf eats the
//! goat, and the goat the cabbage. Where this file is beside everystate.rs and its board:
//!
//! ```text
//! rustc --target wasm32-unknown-unknown --crate-type cdylib --edition 2021 \
//!       -C opt-level=3 -C panic=abort -C strip=symbols -o river.wasm river.rs
//! everystate puzzles check river.wasm river.txt
//! everystate explore --puzzle river.wasm river.txt
//! ```
//!
//! It finds 10 states, and the goal after 7 crossings.

#[path = "../everystate.rs"]
mod everystate;

use everystate::{Fault, Info, Puzzle};

everystate::export!(River);

/// The farmer and the passengers, as texts show them. In the key of a state bit i is set
/// if `WHO[i]` has crossed.
const WHO: [char; 4] = ['@', 'w', 'g', 'c'];
const FARMER: u64 = 1;
const WOLF: u64 = 2;
const GOAT: u64 = 4;
const CABBAGE: u64 = 8;
const EVERYBODY: u64 = 15;

/// The names of the moves: the farmer crosses alone, or with a passenger.
const CROSSINGS: [&str; 4] = ["alone", "wolf", "goat", "cabbage"];

struct River {
    start: u64,
}

/// Whether nobody is eaten. What is not safe is no state.
fn safe(key: u64) -> bool {
    let same = |a, b| (key & a == 0) == (key & b == 0);
    same(GOAT, FARMER) || !same(GOAT, WOLF) && !same(GOAT, CABBAGE)
}

/// The state after a move, if the move is legal.
fn cross(key: u64, by: u16) -> Option<u64> {
    let passenger = 1u64.checked_shl(by.into()).filter(|_| usize::from(by) < CROSSINGS.len())?;
    let next = key ^ (FARMER | passenger);
    let beside = (key & FARMER == 0) == (key & passenger == 0);
    (beside && safe(next)).then_some(next)
}

/// Writes a state as it is read: "@wgc|" is the usual start.
fn text(key: u64) -> String {
    let bank = |far: u64| (0..WHO.len()).filter(move |i| key >> i & 1 == far).map(|i| WHO[i]);
    bank(0).chain(['|']).chain(bank(1)).collect()
}

fn parse(text: &str) -> Result<u64, Fault> {
    let fault = |what: &str| Err(Fault { line: 1, column: 1, what: what.to_string() });
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    if letters != ['@', 'c', 'g', 'w', '|'] {
        return fault("a state is the letters @ w g c, each once, with a bar for the river: as in @wgc|");
    }
    let far = text.split('|').nth(1).unwrap_or("");
    let key = (0..WHO.len()).filter(|&i| far.contains(WHO[i])).map(|i| 1 << i).sum();
    if !safe(key) {
        return fault("the goat is eaten, or eats: the farmer has to be with it, or it has to be alone");
    }
    Ok(key)
}

impl Puzzle for River {
    /// Reads a board: who is on the near bank, a bar, and who is on the far one.
    fn open(text: &str, metric: &str) -> Result<Self, Fault> {
        if !metric.is_empty() && metric != "crossing" {
            return Err(Fault { line: 0, column: 0, what: "the metric of river is crossing".to_string() });
        }
        Ok(River { start: parse(text.trim())? })
    }

    fn info(&self) -> Info {
        Info {
            key_bits: 4,
            moves: 4,
            reversible: true,
            has_goal: true,
            metric: "crossing".to_string(),
            text: text(self.start),
            note: "a farmer, a wolf, a goat and a cabbage cross a river".to_string(),
            name: "river".to_string(),
            ..Info::default()
        }
    }

    fn starts(&self) -> Vec<u64> {
        vec![self.start]
    }

    fn valid(&self, key: u64) -> bool {
        key <= EVERYBODY && safe(key)
    }

    fn successors(&self, key: u64, mut edge: impl FnMut(u64, u16)) {
        for by in 0..4 {
            if let Some(next) = cross(key, by) {
                edge(next, by)
            }
        }
    }

    fn apply(&self, key: u64, by: u16) -> Option<u64> {
        cross(key, by)
    }

    /// The state before a move is where the same move leads.
    fn undo(&self, key: u64, by: u16) -> Option<u64> {
        cross(key, by)
    }

    fn goal(&self, key: u64) -> bool {
        key == EVERYBODY
    }

    fn format(&self, key: u64) -> String {
        text(key)
    }

    fn parse(&self, text: &str) -> Result<u64, Fault> {
        parse(text)
    }

    fn move_name(&self, by: u16) -> String {
        CROSSINGS[usize::from(by)].to_string()
    }
}
