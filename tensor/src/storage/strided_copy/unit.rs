//! What a strided copy moves: plain bytes of some widths, or elements that know how to clone themselves.

use std::any::TypeId;
use std::marker::PhantomData;
use std::mem;

use tensor_core::{Complex32, Complex64, bf16, f16};

use super::Rows;
use super::tile::{self, LINE, Tile};

/// Something that is copied as a whole. Positions are addresses of bytes, aligned as the elements there are.
pub(super) trait Unit: Sized {
    /// The side of a tile: a cache line of either side.
    const SIDE: usize;

    /// Copies the unit at `from` to `to`.
    ///
    /// # Safety
    /// There is a unit at `from`, and room for one at `to`, not overlapping.
    unsafe fn put(from: *const u8, to: *mut u8);

    /// Copies rows of units that lie side by side.
    ///
    /// # Safety
    /// As [`Unit::put`], for each unit of each row.
    #[inline(always)]
    unsafe fn put_rows(rows: &Rows<'_>) {
        let count = rows.bytes / size_of::<Self>().max(1);
        let step = size_of::<Self>().cast_signed();
        // SAFETY: the caller's promise.
        unsafe { rows.each(|from, to| Self::pick_row(from, step, to, count)) };
    }

    /// Copies `count` units that are `step` bytes apart to places side by side.
    ///
    /// # Safety
    /// As [`Unit::put`], for each of them.
    #[inline(always)]
    unsafe fn pick_row(from: *const u8, step: isize, to: *mut u8, count: usize) {
        for at in 0..count {
            // SAFETY: the caller's promise for unit `at`.
            unsafe {
                Self::put(
                    from.offset(at.cast_signed() * step),
                    to.add(at * size_of::<Self>()),
                )
            };
        }
    }

    /// Copies a tile.
    ///
    /// # Safety
    /// As [`Unit::put`], for each unit of the tile.
    #[inline(always)]
    unsafe fn put_tile(tile: &Tile<'_>) {
        // SAFETY: the caller's promise.
        unsafe { tile.put_each::<Self>() }
    }
}

/// `N` bytes: 1, 2, 4, 8 or 16.
#[derive(Clone, Copy)]
pub(super) struct Bits<const N: usize>([u8; N]);

impl<const N: usize> Unit for Bits<N> {
    const SIDE: usize = LINE / N;

    #[inline(always)]
    unsafe fn put(from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promise; bytes need no alignment.
        unsafe { to.cast::<Self>().write(from.cast::<Self>().read()) };
    }

    #[inline(always)]
    unsafe fn put_rows(rows: &Rows<'_>) {
        // SAFETY: the caller's promise.
        unsafe { tile::copy_rows(rows) }
    }

    #[inline(always)]
    unsafe fn pick_row(from: *const u8, step: isize, to: *mut u8, count: usize) {
        let each = |step: isize| {
            for at in 0..count {
                // SAFETY: the caller's promise for unit `at`.
                unsafe { Self::put(from.offset(at.cast_signed() * step), to.add(at * N)) };
            }
        };
        // Steps that the compiler knows become vectors.
        let width = N.cast_signed();
        match step {
            0 => each(0),
            step if step == -width => each(-width),
            step if step == 2 * width => each(2 * width),
            step => each(step),
        }
    }

    #[inline(always)]
    unsafe fn put_tile(tile: &Tile<'_>) {
        if tile.step == N.cast_signed() {
            // SAFETY: the caller's promise.
            unsafe { tile.transpose::<N>() }
        } else {
            // SAFETY: the caller's promise.
            unsafe { tile.put_each::<Self>() }
        }
    }
}

/// An element that is copied by its `clone`.
#[repr(transparent)]
pub(super) struct Cloned<T>(T);

impl<T: Clone> Unit for Cloned<T> {
    const SIDE: usize = 16;

    #[inline(always)]
    unsafe fn put(from: *const u8, to: *mut u8) {
        // SAFETY: by the caller's promise an element lies at `from`, and one has room at `to`, both aligned.
        unsafe { to.cast::<T>().write((*from.cast::<T>()).clone()) };
    }
}

/// Whether `T` is one of the preset elements, which are plain bytes without padding and no more than that.
pub(super) fn is_preset<T>() -> bool {
    /// `TypeId::of` for types that borrow: what is asked is a type that owns, and two types of one id are the same.
    trait Identified {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T> Identified for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let element = PhantomData::<T>;
    let element: &dyn Identified = &element;
    // SAFETY: only the lifetime in the type changes. `id` reads nothing through the reference and keeps nothing, and an id
    // does not tell lifetimes apart; no preset has one.
    let element =
        unsafe { mem::transmute::<&dyn Identified, &(dyn Identified + 'static)>(element) };
    let presets = [
        TypeId::of::<f32>(),
        TypeId::of::<f64>(),
        TypeId::of::<f16>(),
        TypeId::of::<bf16>(),
        TypeId::of::<i8>(),
        TypeId::of::<i16>(),
        TypeId::of::<i32>(),
        TypeId::of::<i64>(),
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<bool>(),
        TypeId::of::<Complex32>(),
        TypeId::of::<Complex64>(),
    ];
    presets.contains(&element.id())
}
