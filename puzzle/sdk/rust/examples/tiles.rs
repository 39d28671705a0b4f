//! The sliding tiles, with the keys and moves of the family that is built in, to
//! compare with it. A board is rows of numbers, with 0 for the hole; the goal is the
//! tiles in order.
//!
//! Cells are counted along the shorter side, a lane. The tiles in this order, without
//! the hole, are a permutation; its Lehmer code in mixed radix, times the cells, plus
//! the hole's cell, is the key. A hole that moves along its lane changes its cell
//! alone. One that moves to the next lane takes one tile past the others of a window
//! of the permutation, which changes the digits of that window alone: by a table.

#[path = "../everystate.rs"]
mod everystate;

use everystate::{Fault, Info, Puzzle};

everystate::export!(Board);

const NEXT: u16 = 0;
const BEFORE: u16 = 1;
const FORWARD: u16 = 2;
const BACK: u16 = 3;
const NO_MOVE: u16 = 4;

/// The digits of a window of the permutation.
struct Window {
    low: u64,         // what they are multiplied by
    values: u64,      // how many values they have
    ahead: Vec<u16>,  // by value: the value when the last tile comes first
    behind: Vec<u16>, // and the other way
}

struct Board {
    rows: usize,
    cols: usize,
    start: u64,
    solved: u64,
    windows: Vec<Window>,
    // For the hot path: the cells, and how many of them a lane has.
    cells: u64,
    width: u64,
}

fn fault(line: usize, what: &str) -> Fault {
    Fault { line: line as u32, column: 0, what: what.to_string() }
}

/// Reads rows of numbers: how many columns they have, and the tiles.
fn read(text: &str) -> Result<(usize, Vec<u8>), Fault> {
    let (mut cols, mut seen, mut tiles) = (0, 0u32, Vec::new());
    for (i, line) in text.lines().enumerate() {
        for row in line.split('/').map(|row| row.split_whitespace().collect::<Vec<_>>()).filter(|row| !row.is_empty()) {
            if cols > 0 && cols != row.len() {
                return Err(fault(i + 1, "a row of another length than those before it"));
            }
            cols = row.len();
            for tile in row {
                match tile.parse::<u8>() {
                    Ok(n) if n < 16 && seen >> n & 1 == 0 => {
                        seen |= 1 << n;
                        tiles.push(n);
                    }
                    _ => return Err(fault(i + 1, "a tile is a number up to 15, which is here once, and 0 the hole")),
                }
            }
        }
    }
    if cols < 2 || tiles.len() < 2 * cols {
        return Err(fault(0, "a board of fewer than 2x2 cells"));
    }
    if seen != (1 << tiles.len()) - 1 {
        return Err(fault(0, "a number is left out: a board has all of them from 0 up"));
    }
    Ok((cols, tiles))
}

impl Window {
    /// The window from the p-th tile on, so many tiles long, of so many in all.
    fn new(p: usize, width: usize, tiles: usize) -> Window {
        let radix: Vec<usize> = (0..width).map(|i| tiles - p - i).collect();
        let values: usize = radix.iter().product();
        let low = (2..=(tiles - p - width) as u64).product();
        let (mut ahead, mut behind) = (vec![0; values], vec![0; values]);
        for v in 0..values {
            let (mut digits, mut left) = (vec![0; width], v);
            for i in (0..width).rev() {
                digits[i] = left % radix[i];
                left /= radix[i];
            }
            let mut x = digits[width - 1];
            for i in (0..width - 1).rev() {
                digits[i + 1] = if digits[i] > x { digits[i] - 1 } else { digits[i] };
                if digits[i] <= x {
                    x += 1;
                }
            }
            digits[0] = x;
            let to = (0..width).fold(0, |to, i| to * radix[i] + digits[i]);
            ahead[v] = to as u16;
            behind[to] = v as u16;
        }
        Window { low, values: values as u64, ahead, behind }
    }
}

impl Board {
    fn new(cols: usize, tiles: &[u8]) -> Board {
        let (rows, count) = (tiles.len() / cols, tiles.len());
        let width = rows.min(cols);
        let windows = (0..count - width).map(|p| Window::new(p, width, count - 1)).collect();
        let mut b = Board { rows, cols, start: 0, solved: 0, windows, cells: count as u64, width: width as u64 };
        let order: Vec<u8> = (0..count).map(|i| ((i + 1) % count) as u8).collect();
        b.start = b.rank(tiles);
        b.solved = b.rank(&order);
        b
    }

    fn count(&self) -> usize {
        self.rows * self.cols
    }

    /// Where the i-th cell along the lanes is.
    fn cell(&self, i: usize) -> usize {
        if self.cols > self.rows { i % self.rows * self.cols + i / self.rows } else { i }
    }

    fn rank(&self, tiles: &[u8]) -> u64 {
        let (mut rank, mut hole, mut left, mut used) = (0u64, 0, self.cells - 1, 1u32);
        for i in 0..self.count() {
            let tile = tiles[self.cell(i)];
            if tile == 0 {
                hole = i;
                continue;
            }
            used |= 1 << tile;
            rank = rank * left + u64::from((!used & ((1 << tile) - 1)).count_ones());
            left -= 1;
        }
        rank * self.cells + hole as u64
    }

    fn unrank(&self, key: u64) -> Vec<u8> {
        let (count, hole) = (self.count(), (key % self.cells) as usize);
        let (mut rank, mut digits) = (key / self.cells, vec![0; count - 1]);
        for i in (0..count - 1).rev() {
            let radix = (count - 1 - i) as u64;
            digits[i] = (rank % radix) as usize;
            rank /= radix;
        }
        let mut unused: Vec<u8> = (1..count as u8).collect();
        let mut tiles = vec![0; count];
        let order = (0..count).filter(|&i| i != hole);
        for (i, digit) in order.zip(digits) {
            tiles[self.cell(i)] = unused.remove(digit);
        }
        tiles
    }

    #[inline(always)]
    fn turned(&self, key: u64, to: u64, w: &Window, table: &[u16]) -> u64 {
        let rank = key / self.cells;
        let value = rank / w.low % w.values;
        (rank + u64::from(table[value as usize]) * w.low - value * w.low) * self.cells + to
    }

    #[inline(always)]
    fn expand(&self, key: u64, leave: u16, mut edge: impl FnMut(u64, u16)) {
        let hole = key % self.cells;
        let place = hole % self.width;
        if hole + self.width < self.cells && leave != NEXT {
            let w = &self.windows[hole as usize];
            edge(self.turned(key, hole + self.width, w, &w.ahead), NEXT);
        }
        if hole >= self.width && leave != BEFORE {
            let w = &self.windows[(hole - self.width) as usize];
            edge(self.turned(key, hole - self.width, w, &w.behind), BEFORE);
        }
        if place + 1 < self.width && leave != FORWARD {
            edge(key + 1, FORWARD);
        }
        if place > 0 && leave != BACK {
            edge(key - 1, BACK);
        }
    }
}

impl Puzzle for Board {
    fn open(text: &str, metric: &str) -> Result<Board, Fault> {
        if !metric.is_empty() && metric != "tile" {
            return Err(fault(0, "the metric of these tiles is tile"));
        }
        let (cols, tiles) = read(text)?;
        Ok(Board::new(cols, &tiles))
    }

    fn info(&self) -> Info {
        let keys: u64 = (1..=self.cells).product();
        Info {
            key_bits: 64 - (keys - 1).leading_zeros(),
            moves: 4,
            reversible: true,
            alternating: true,
            has_goal: true,
            onward: true,
            metric: "tile".to_string(),
            text: self.format(self.start),
            note: "tiles slide into the hole until they are in order".to_string(),
            name: String::new(),
        }
    }

    fn starts(&self) -> Vec<u64> {
        vec![self.start]
    }

    fn valid(&self, key: u64) -> bool {
        key < (1..=self.cells).product()
    }

    fn successors(&self, key: u64, edge: impl FnMut(u64, u16)) {
        self.expand(key, NO_MOVE, edge)
    }

    fn onward(&self, key: u64, link: u16, edge: impl FnMut(u64, u16)) {
        self.expand(key, link ^ 1, edge)
    }

    fn apply(&self, key: u64, by: u16) -> Option<u64> {
        let mut to = None;
        self.expand(key, NO_MOVE, |next, m| {
            if m == by {
                to = Some(next)
            }
        });
        to
    }

    fn undo(&self, key: u64, by: u16) -> Option<u64> {
        self.apply(key, by ^ 1)
    }

    fn goal(&self, key: u64) -> bool {
        key == self.solved
    }

    fn format(&self, key: u64) -> String {
        let rows: Vec<String> = self.unrank(key).chunks(self.cols).map(|row| {
            let tiles: Vec<String> = row.iter().map(u8::to_string).collect();
            tiles.join(" ")
        }).collect();
        rows.join("\n")
    }

    fn parse(&self, text: &str) -> Result<u64, Fault> {
        let (cols, tiles) = read(text)?;
        if cols != self.cols || tiles.len() != self.count() {
            return Err(fault(1, "a board of another size"));
        }
        Ok(self.rank(&tiles))
    }

    fn move_name(&self, by: u16) -> String {
        let names = if self.cols > self.rows { "LRUD" } else { "UDLR" };
        names.chars().nth(by as usize & 3).map(String::from).unwrap_or_default()
    }
}
