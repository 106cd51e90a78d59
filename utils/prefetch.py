"""`prefetch`: compiled functions fetch a row of a table from memory before they need it."""

from __future__ import annotations

from typing import Any


def prefetch(table: Any, row: int) -> None:
    """Fetch the first number of a row into the caches of the processor, without waiting for it.

    In plain Python this does nothing.

    Args:
        table: an array of two dimensions.
        row: counted from 0.
    """


def teach_numba() -> None:
    """Tell Numba to compile `prefetch` to the processor's instruction of that name."""
    from numba.core import cgutils, types
    from numba.core.cgutils import int32_t, ir, voidptr_t
    from numba.extending import intrinsic, overload

    @intrinsic  # type: ignore[untyped-decorator]
    def fetch(_context: Any, table: Any, row: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, index = arguments
            place = cgutils.get_item_pointer(
                context,
                builder,
                table,
                context.make_array(table)(context, builder, array),
                [index, context.get_constant(types.intp, 0)],
            )
            kind = ir.FunctionType(ir.VoidType(), [voidptr_t, int32_t, int32_t, int32_t])
            prefetch = builder.module.declare_intrinsic("llvm.prefetch", (voidptr_t,), kind)
            how = map(int32_t, (0, 3, 1))  # to read, into all caches, no instructions
            builder.call(prefetch, [builder.bitcast(place, voidptr_t), *how])
            return context.get_dummy_value()

        return types.void(table, types.intp), generate

    @overload(prefetch)  # type: ignore[untyped-decorator]
    def _prefetch(table: Any, row: Any) -> Any:
        def prefetch(table: Any, row: Any) -> Any:
            return fetch(table, row)

        return prefetch
