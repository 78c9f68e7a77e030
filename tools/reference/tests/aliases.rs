//! Operations of `index`, other views of memrefs, and control flow that only the code around computations has.
use super::{outcome, values};

/// The results of a function on no arguments; `matrix` is a memref with the elements 0 to 11 in 3 rows.
fn results(types: &str, body: &str) -> Result<Vec<Vec<f64>>, String> {
    let program = format!(
        "func.func @f() -> ({types}) {{
          %zero = index.constant 0
          %one = index.constant 1
          %two = index.constant 2
          %numbers = arith.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]> : tensor<3x4xi32>
          %matrix = bufferization.to_buffer %numbers : tensor<3x4xi32> to memref<3x4xi32>
          {body}
        }}"
    );
    outcome(&program, vec![]).map(|outcome| outcome.results.iter().map(values).collect())
}

#[test]
fn operations_of_index() {
    for (operation, expected) in [
        ("add", 4.0),
        ("sub", -10.0),
        ("mul", -21.0),
        ("divs", 0.0),
        ("ceildivs", 0.0),
        ("floordivs", -1.0),
        ("rems", -3.0),
        ("maxs", 7.0),
        ("maxu", -3.0),
        ("mins", -3.0),
        ("minu", 7.0),
        ("and", 5.0),
        ("or", -1.0),
        ("xor", -6.0),
    ] {
        let body = format!(
            "%a = index.constant -3
            %b = index.constant 7
            %r = index.{operation} %a, %b
            return %r : index"
        );
        assert_eq!(results("index", &body).unwrap(), [[expected]], "index.{operation}");
    }
    let body = "%a = index.constant -9
      %shifts = index.shl %a, %two
      %right = index.shrs %a, %one
      %quotient = index.divu %shifts, %shifts
      %rest = index.remu %two, %one
      %up = index.ceildivu %one, %two
      %logical = index.shru %two, %one
      %small = index.casts %a : index to i8
      %byte = index.castu %small : i8 to index
      %less = index.cmp slt(%a, %one)
      %below = index.cmp ult(%a, %one)
      %true = index.bool.constant true
      return %shifts, %right, %quotient, %rest, %up, %logical, %byte, %less, %below, %true
        : index, index, index, index, index, index, index, i1, i1, i1";
    let found = results("index, index, index, index, index, index, index, i1, i1, i1", body).unwrap().concat();
    assert_eq!(found, [-36.0, -5.0, 1.0, 0.0, 1.0, 1.0, 247.0, -1.0, 0.0, -1.0]);
}

#[test]
fn views_of_memrefs() {
    for (view, ty, expected) in [
        (
            "memref.transpose %matrix (i, j) -> (j, i) : memref<3x4xi32> to memref<4x3xi32, strided<[1, 4]>>",
            "memref<4x3xi32, strided<[1, 4]>>",
            &[0.0, 4.0, 8.0, 1.0, 5.0, 9.0, 2.0, 6.0, 10.0, 3.0, 7.0, 11.0][..],
        ),
        (
            "memref.expand_shape %matrix [[0], [1, 2]] output_shape [3, 2, 2] : memref<3x4xi32> into memref<3x2x2xi32>",
            "memref<3x2x2xi32>",
            &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0],
        ),
        (
            "memref.reinterpret_cast %matrix to offset: [1], sizes: [2, 2], strides: [4, 2]
              : memref<3x4xi32> to memref<2x2xi32, strided<[4, 2], offset: 1>>",
            "memref<2x2xi32, strided<[4, 2], offset: 1>>",
            &[1.0, 3.0, 5.0, 7.0],
        ),
    ] {
        let sizes = ty.trim_start_matches("memref<").split("xi32").next().unwrap();
        let body = format!(
            "%view = {view}
            %copy = memref.alloc() : memref<{sizes}xi32>
            linalg.copy ins(%view : {ty}) outs(%copy : memref<{sizes}xi32>)
            return %copy : memref<{sizes}xi32>"
        );
        assert_eq!(results(&format!("memref<{sizes}xi32>"), &body).unwrap(), [expected], "{view}");
    }
    let body = "%part = memref.subview %matrix[0, 1] [3, 2] [1, 1]
        : memref<3x4xi32> to memref<3x2xi32, strided<[4, 1], offset: 1>>
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %part
        : memref<3x2xi32, strided<[4, 1], offset: 1>> -> memref<i32>, index, index, index, index, index
      %shape = arith.constant dense<12> : tensor<1xindex>
      %sizes_in_memory = bufferization.to_buffer %shape : tensor<1xindex> to memref<1xindex>
      %flat = memref.reshape %matrix(%sizes_in_memory) : (memref<3x4xi32>, memref<1xindex>) -> memref<12xi32>
      %all = memref.collapse_shape %matrix [[0, 1]] : memref<3x4xi32> into memref<12xi32>
      %seven = arith.constant 7 : i32
      %before = memref.atomic_rmw addi %seven, %flat[%two] : (i32, memref<12xi32>) -> i32
      %after = memref.load %all[%two] : memref<12xi32>
      %copy = bufferization.clone %matrix : memref<3x4xi32> to memref<3x4xi32>
      memref.store %seven, %all[%zero] : memref<12xi32>
      %copied = memref.load %copy[%zero, %zero] : memref<3x4xi32>
      return %offset, %sizes#1, %strides#0, %before, %after, %copied : index, index, index, i32, i32, i32";
    assert_eq!(results("index, index, index, i32, i32, i32", body).unwrap().concat(), [1.0, 2.0, 4.0, 2.0, 9.0, 0.0]);
    let body = "%far = memref.reinterpret_cast %matrix to offset: [0], sizes: [13], strides: [1]
        : memref<3x4xi32> to memref<13xi32, strided<[1]>>
      return %one : index";
    let message = "requires dimensions that fit those of a buffer of shape [3, 4]";
    assert_eq!(results("index", body).unwrap_err(), message);
}

#[test]
fn regions_and_reductions() {
    let body = "%scope = memref.alloca_scope -> (i32) {
        %n = memref.load %matrix[%two, %one] : memref<3x4xi32>
        memref.alloca_scope.return %n : i32
      }
      %executed = scf.execute_region -> i32 {
        scf.yield %scope : i32
      }
      %switched = scf.index_switch %two -> i32
      case 2 {
        scf.yield %executed : i32
      }
      default {
        %n = arith.constant -1 : i32
        scf.yield %n : i32
      }
      %start = arith.constant 100 : i32
      %sum, %largest = scf.parallel (%i, %j) = (%zero, %zero) to (%two, %two) step (%one, %one) init (%start, %start) -> (i32, i32) {
        %n = memref.load %matrix[%i, %j] : memref<3x4xi32>
        scf.reduce(%n, %n : i32, i32) {
        ^bb0(%a: i32, %b: i32):
          %c = arith.addi %a, %b : i32
          scf.reduce.return %c : i32
        }, {
        ^bb0(%a: i32, %b: i32):
          %c = arith.maxsi %a, %b : i32
          scf.reduce.return %c : i32
        }
      }
      %empty = tensor.empty() : tensor<3x4xi32>
      %moved = bufferization.materialize_in_destination %numbers in %empty : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
      %shape = arith.constant dense<[2, 6]> : tensor<2xi32>
      %wide = tensor.reshape %moved(%shape) : (tensor<3x4xi32>, tensor<2xi32>) -> tensor<2x6xi32>
      %element = tensor.extract %wide[%one, %two] : tensor<2x6xi32>
      return %switched, %sum, %largest, %element : i32, i32, i32, i32";
    assert_eq!(results("i32, i32, i32, i32", body).unwrap().concat(), [9.0, 110.0, 100.0, 8.0]);
}
