//! The Rust side of a puzzle module, version 1 of the interface: docs/WASM.md.
//!
//! Implement [`Puzzle`] for a board whose keys are one word, and export it:
//!
//! ```text
//! #[path = "everystate.rs"]
//! mod everystate;
//! everystate::export!(Board);
//! ```
//!
//! For wider keys copy this file, and write the exports as docs/WASM.md says.
//!
//! ```text
//! rustc --target wasm32-unknown-unknown --crate-type cdylib --edition 2021 \
//!       -C opt-level=3 -C panic=abort -C strip=symbols -o mine.wasm mine.rs
//! ```

use std::cell::UnsafeCell;

/// Why a text is refused, and where, counted from 1 (0 for no place).
pub struct Fault {
    pub line: u32,
    pub column: u32,
    pub what: String,
}

/// What a puzzle is, but for its rules.
#[derive(Default)]
pub struct Info {
    pub key_bits: u32,
    pub moves: u32,
    pub reversible: bool,
    pub alternating: bool,
    pub has_goal: bool,
    /// Whether `onward` is to be called.
    pub onward: bool,
    pub metric: String,
    pub text: String,
    pub note: String,
    pub name: String,
}

pub trait Puzzle: Sized {
    /// Reads a board. The metric is empty for the usual one.
    fn open(text: &str, metric: &str) -> Result<Self, Fault>;
    fn info(&self) -> Info;
    fn starts(&self) -> Vec<u64>;
    fn valid(&self, key: u64) -> bool;
    /// Calls `edge` with each successor and its move, in increasing order of moves.
    fn successors(&self, key: u64, edge: impl FnMut(u64, u16));
    /// The same without the state that `link` has led here from.
    fn onward(&self, key: u64, _link: u16, edge: impl FnMut(u64, u16)) {
        self.successors(key, edge)
    }
    fn apply(&self, key: u64, by: u16) -> Option<u64>;
    fn undo(&self, key: u64, by: u16) -> Option<u64>;
    fn goal(&self, key: u64) -> bool;
    fn format(&self, key: u64) -> String;
    fn parse(&self, text: &str) -> Result<u64, Fault>;
    fn move_name(&self, by: u16) -> String;
}

/// What the exports work on. The host makes one call at a time.
pub struct Module<P>(UnsafeCell<State<P>>);

pub struct State<P> {
    puzzle: Option<P>,
    info: Info,
    text: String,
    record: [u32; 12],
}

// A module has one thread.
unsafe impl<P> Sync for Module<P> {}

impl<P: Puzzle> Module<P> {
    pub const fn new() -> Self {
        let none = String::new();
        let info = Info {
            key_bits: 0, moves: 0, reversible: false, alternating: false, has_goal: false, onward: false,
            metric: String::new(), text: String::new(), note: String::new(), name: String::new(),
        };
        Module(UnsafeCell::new(State { puzzle: None, info, text: none, record: [0; 12] }))
    }

    #[allow(clippy::mut_from_ref)]
    pub fn state(&self) -> &mut State<P> {
        // No two calls are under way, and none keeps the reference.
        unsafe { &mut *self.0.get() }
    }
}

impl<P: Puzzle> State<P> {
    #[inline(always)]
    pub fn puzzle(&self) -> &P {
        self.puzzle.as_ref().expect("es_open comes first")
    }

    fn refuse(&mut self, fault: Fault) -> u32 {
        self.text = fault.what;
        self.record = [0; 12];
        self.record[0] = fault.line;
        self.record[1] = fault.column;
        self.record[2] = self.text.as_ptr() as u32;
        self.record[3] = self.text.len() as u32;
        1
    }

    pub fn open(&mut self, text: &str, metric: &str) -> u32 {
        match P::open(text, metric) {
            Ok(p) => {
                self.info = p.info();
                self.puzzle = Some(p);
                0
            }
            Err(fault) => self.refuse(fault),
        }
    }

    pub fn info(&mut self) -> u32 {
        let i = &self.info;
        let flags = [i.reversible, i.has_goal, i.onward, false, i.alternating];
        self.record = [0; 12];
        self.record[0] = i.key_bits;
        self.record[1] = i.moves;
        self.record[2] = flags.iter().enumerate().map(|(n, &set)| (set as u32) << n).sum();
        for (n, text) in [&i.metric, &i.text, &i.note, &i.name].iter().enumerate() {
            self.record[4 + 2 * n] = text.as_ptr() as u32;
            self.record[5 + 2 * n] = text.len() as u32;
        }
        self.fault()
    }

    pub fn fault(&self) -> u32 {
        self.record.as_ptr() as u32
    }

    pub fn hand_out(&mut self, text: String) -> u64 {
        self.text = text;
        (self.text.as_ptr() as u64) << 32 | self.text.len() as u64
    }

    pub fn parse(&mut self, text: &str, to: &mut u64) -> u32 {
        match self.puzzle().parse(text) {
            Ok(key) => {
                *to = key;
                0
            }
            Err(fault) => self.refuse(fault),
        }
    }

    pub fn starts(&self, to: *mut u64, room: u32) -> u32 {
        let starts = self.puzzle().starts();
        if starts.len() <= room as usize {
            unsafe { std::ptr::copy_nonoverlapping(starts.as_ptr(), to, starts.len()) }
        }
        starts.len() as u32
    }

    /// Expands states as long as there is room for all moves of another one.
    ///
    /// # Safety
    /// There are n states, and room for so many edges.
    #[inline(always)]
    pub unsafe fn expand(
        &self, n: u32, keys: *mut u64, moves: *mut u16, room: u32, step: impl Fn(&P, usize, &mut dyn FnMut(u64, u16)),
    ) -> u64 {
        let (mut edges, mut taken) = (0u32, 0u32);
        while taken < n && edges + self.info.moves <= room {
            step(self.puzzle(), taken as usize, &mut |key, by| {
                *keys.add(edges as usize) = key;
                *moves.add(edges as usize) = by;
                edges += 1;
            });
            taken += 1;
        }
        (taken as u64) << 32 | edges as u64
    }
}

/// # Safety
/// There are so many bytes at the address.
pub unsafe fn text<'a>(at: *const u8, bytes: u32) -> &'a str {
    std::str::from_utf8(std::slice::from_raw_parts(at, bytes as usize)).unwrap_or("")
}

pub fn answer(key: Option<u64>, to: &mut u64) -> u32 {
    if let Some(k) = key {
        *to = k;
    }
    key.is_some() as u32
}

pub fn alloc(bytes: u32) -> u32 {
    Box::leak(vec![0u64; bytes as usize / 8 + 1].into_boxed_slice()).as_ptr() as u32
}

#[macro_export]
macro_rules! export {
    ($puzzle:ty) => {
        static MODULE: everystate::Module<$puzzle> = everystate::Module::new();

        #[no_mangle]
        pub extern "C" fn es_abi_version() -> u32 { 1 }
        #[no_mangle]
        pub extern "C" fn es_alloc(bytes: u32) -> u32 { everystate::alloc(bytes) }
        #[no_mangle]
        pub unsafe extern "C" fn es_open(text: *const u8, bytes: u32, metric: *const u8, metric_bytes: u32) -> u32 {
            MODULE.state().open(everystate::text(text, bytes), everystate::text(metric, metric_bytes))
        }
        #[no_mangle]
        pub extern "C" fn es_info() -> u32 { MODULE.state().info() }
        #[no_mangle]
        pub extern "C" fn es_error() -> u32 { MODULE.state().fault() }
        #[no_mangle]
        pub extern "C" fn es_starts(keys: *mut u64, room: u32) -> u32 { MODULE.state().starts(keys, room) }
        #[no_mangle]
        pub extern "C" fn es_valid(key: &u64) -> u32 { MODULE.state().puzzle().valid(*key) as u32 }
        #[no_mangle]
        pub unsafe extern "C" fn es_successors(states: *const u64, n: u32, keys: *mut u64, moves: *mut u16, room: u32) -> u64 {
            MODULE.state().expand(n, keys, moves, room, |p, i, edge| p.successors(*states.add(i), edge))
        }
        #[no_mangle]
        pub unsafe extern "C" fn es_onward(states: *const u64, links: *const u16, n: u32, keys: *mut u64, moves: *mut u16, room: u32) -> u64 {
            MODULE.state().expand(n, keys, moves, room, |p, i, edge| p.onward(*states.add(i), *links.add(i), edge))
        }
        #[no_mangle]
        pub extern "C" fn es_apply(to: &mut u64, key: *const u64, by: u32) -> u32 {
            everystate::answer(MODULE.state().puzzle().apply(unsafe { *key }, by as u16), to)
        }
        #[no_mangle]
        pub extern "C" fn es_undo(to: &mut u64, key: *const u64, by: u32) -> u32 {
            everystate::answer(MODULE.state().puzzle().undo(unsafe { *key }, by as u16), to)
        }
        #[no_mangle]
        pub unsafe extern "C" fn es_goals(states: *const u64, n: u32, marks: *mut u8) {
            for i in 0..n as usize {
                *marks.add(i) = MODULE.state().puzzle().goal(*states.add(i)) as u8;
            }
        }
        #[no_mangle]
        pub extern "C" fn es_format(key: &u64) -> u64 {
            let text = MODULE.state().puzzle().format(*key);
            MODULE.state().hand_out(text)
        }
        #[no_mangle]
        pub unsafe extern "C" fn es_parse(text: *const u8, bytes: u32, to: &mut u64) -> u32 {
            MODULE.state().parse(everystate::text(text, bytes), to)
        }
        #[no_mangle]
        pub extern "C" fn es_move_name(by: u32) -> u64 {
            let name = MODULE.state().puzzle().move_name(by as u16);
            MODULE.state().hand_out(name)
        }
    };
}
pub use export;
