//===- ScheduleOps.td - schedules as scripts of commands -------*- tablegen -*-===//
#ifndef MDH_LOWLEVEL_SCHEDULE_OPS_TD
#define MDH_LOWLEVEL_SCHEDULE_OPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "MdhDialect.td"

def Mdh_LoopType : TypeDef<Mdh_Dialect, "Loop"> {
  let mnemonic = "loop";
  let summary = "a loop of a schedule";
  let description = [{
    A handle of a loop in an `mdh.lowlevel.schedule`: initially there is one loop for each dimension of the computation, and
    `mdh.lowlevel.tile` splits loops.
  }];
}

def Mdh_ScheduleOp : Mdh_Op<"lowlevel.schedule",
    [IsolatedFromAbove, SingleBlock, NoTerminator, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a schedule of a computation, as a script of commands";
  let description = [{
    Commands that change the schedule of a computation of a function step by step, beginning with one sequential loop for each dimension,
    on a system. The arguments of the block are these loops. `computation` is the number of the computation in the function, counted
    from 1 (default: 1), and `on` is the system (default: that of the pass). `mdh-schedule` applies scripts and erases them.

    ```mlir
    mdh.lowlevel.schedule @matvec on @cpu {
    ^bb0(%i: !mdh.loop, %k: !mdh.loop):
      %blocks, %rows = mdh.lowlevel.tile %i by [8]
      mdh.lowlevel.parallelize %blocks
      mdh.lowlevel.unroll %rows
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$function, OptionalAttr<I64Attr>:$computation, OptionalAttr<FlatSymbolRefAttr>:$system);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$function (`computation` $computation^)? (`on` $system^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

class Mdh_Command<string mnemonic, list<Trait> traits = []> :
    Mdh_Op<"lowlevel." # mnemonic, !listconcat([HasParent<"ScheduleOp">], traits)>;

def Mdh_TileOp : Mdh_Command<"tile", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "splits a loop into several loops";
  let description = [{
    With `by`, the numbers are the parts of the inner loops, outermost first, and the outermost loop has as many parts as needed. With
    `into`, they are the parts of the outer loops, and the innermost one has as many as needed. A number `?` is chosen by the cost model.
    The loops take the place of the loop, which no later command may use.

    ```mlir
    %blocks, %rows, %row = mdh.lowlevel.tile %i by [8, 32]
    %threads, %rest = mdh.lowlevel.tile %j into [16]
    ```
  }];
  let arguments = (ins Mdh_LoopType:$loop, DenseI64ArrayAttr:$parts, UnitAttr:$into);
  let results = (outs Variadic<Mdh_LoopType>:$loops);
  let assemblyFormat = "$loop (`into` $into^):(`by`)? custom<Counts>($parts) attr-dict";
}

def Mdh_InterchangeOp : Mdh_Command<"interchange"> {
  let summary = "changes the order of loops";
  let description = [{
    The loops take the places that they have together, in this order, outermost first. `phase` restricts the change to one of the phases
    `decompose`, `scalar` and `recompose`.

    ```mlir
    mdh.lowlevel.interchange %blocks, %k, %rows
    ```
  }];
  let arguments = (ins Variadic<Mdh_LoopType>:$loops, OptionalAttr<StrAttr>:$phase);
  let assemblyFormat = "$loops (`phase` custom<Keyword>($phase)^)? attr-dict";
}

def Mdh_ParallelizeOp : Mdh_Command<"parallelize"> {
  let summary = "executes a loop in parallel";
  let description = [{
    `on` names a core layer of the system (default: the outermost one that is not for lanes or matrix units), and `along` the dimension
    x, y, z, .. of blocks and threads on a device (default: x for the innermost loop on the layer).

    ```mlir
    mdh.lowlevel.parallelize %blocks on SMX along y
    ```
  }];
  let arguments = (ins Mdh_LoopType:$loop, OptionalAttr<StrAttr>:$layer, OptionalAttr<StrAttr>:$axis, OptionalAttr<StrAttr>:$phase);
  let assemblyFormat = [{
    $loop (`on` custom<Keyword>($layer)^)? (`along` custom<Keyword>($axis)^)? (`phase` custom<Keyword>($phase)^)? attr-dict
  }];
}

def Mdh_SequentializeOp : Mdh_Command<"sequentialize"> {
  let summary = "executes a loop sequentially, as one of a memory layer";
  let description = [{
    Loops that no command assigns to a layer are sequential, too: the innermost one of a dimension belongs to the innermost memory layer
    other than registers.

    ```mlir
    mdh.lowlevel.sequentialize %tiles on L2
    ```
  }];
  let arguments = (ins Mdh_LoopType:$loop, StrAttr:$layer, OptionalAttr<StrAttr>:$phase);
  let assemblyFormat = "$loop `on` custom<Keyword>($layer) (`phase` custom<Keyword>($phase)^)? attr-dict";
}

def Mdh_VectorizeOp : Mdh_Command<"vectorize"> {
  let summary = "executes a loop as the lanes of vectors";
  let description = [{
    ```mlir
    mdh.lowlevel.vectorize %columns
    ```
  }];
  let arguments = (ins Mdh_LoopType:$loop);
  let assemblyFormat = "$loop attr-dict";
}

def Mdh_UnrollOp : Mdh_Command<"unroll"> {
  let summary = "unrolls a loop, with its values in registers";
  let description = [{
    ```mlir
    mdh.lowlevel.unroll %rows
    ```
  }];
  let arguments = (ins Mdh_LoopType:$loop);
  let assemblyFormat = "$loop attr-dict";
}

def Mdh_CacheOp : Mdh_Command<"cache"> {
  let summary = "reads an input from another memory region";
  let description = [{
    Copies the part of an input buffer, counted from 1, to a region before a loop, and reads it there in the loop. Without `at`, only the
    scalar function reads it there. The layout is that of a placement (default: row-major), and so are `pad` and `buffers`.

    ```mlir
    mdh.lowlevel.cache input 2 in SM at %k layout [2, 1] pad 1 buffers 2
    ```
  }];
  let arguments = (ins I64Attr:$buffer, StrAttr:$region, Optional<Mdh_LoopType>:$loop, OptionalAttr<DenseI64ArrayAttr>:$layout,
                       OptionalAttr<I64Attr>:$pad, OptionalAttr<I64Attr>:$slots);
  let assemblyFormat = [{
    `input` $buffer `in` custom<Keyword>($region) (`at` $loop^)? (`layout` custom<Counts>($layout)^)? (`pad` $pad^)? (`buffers` $slots^)? attr-dict
  }];
}

def Mdh_LayoutOp : Mdh_Command<"layout"> {
  let summary = "changes the layout of a buffer in its memory region";
  let description = [{
    From a loop on, or in the scalar function without `at`, the buffer has this layout in the region where it is there.

    ```mlir
    mdh.lowlevel.layout input 2 [2, 1, 2] at %tiles
    mdh.lowlevel.layout output 1 [2, 1]
    ```
  }];
  let arguments = (ins StrAttr:$kind, I64Attr:$buffer, DenseI64ArrayAttr:$layout, Optional<Mdh_LoopType>:$loop);
  let assemblyFormat = "custom<Keyword>($kind) $buffer custom<Counts>($layout) (`at` $loop^)? attr-dict";
}

def Mdh_CombineInOp : Mdh_Command<"combine_in"> {
  let summary = "writes the results of a loop to another memory region";
  let description = [{
    The parts of an output buffer, counted from 1, that a loop and the loops inside of it compute are combined in the region. Without
    `at`, only the scalar function writes there.

    ```mlir
    mdh.lowlevel.combine_in output 1 RM at %threads
    ```
  }];
  let arguments = (ins I64Attr:$buffer, StrAttr:$region, Optional<Mdh_LoopType>:$loop, OptionalAttr<DenseI64ArrayAttr>:$layout);
  let assemblyFormat =
    "`output` $buffer custom<Keyword>($region) (`at` $loop^)? (`layout` custom<Counts>($layout)^)? attr-dict";
}

def Mdh_ComputeAtOp : Mdh_Command<"compute_at"> {
  let summary = "computes the results in parts, in a loop of a later computation";
  let description = [{
    The consumer is a later computation of the function, and the level (layer, dimension) is one of its schedule, all counted from 1.

    ```mlir
    mdh.lowlevel.compute_at computation 3 level(1, 1)
    ```
  }];
  let arguments = (ins I64Attr:$computation, I64Attr:$layer, I64Attr:$dimension);
  let assemblyFormat = "`computation` $computation `level` `(` $layer `,` $dimension `)` attr-dict";
}

#endif // MDH_LOWLEVEL_SCHEDULE_OPS_TD
