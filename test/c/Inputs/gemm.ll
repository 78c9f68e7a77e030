; What flang-22 -emit-llvm -O0 makes of examples/fortran/gemm.f90.
; ModuleID = 'FIRModule'
source_filename = "FIRModule"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @gemm_(ptr noalias %0, ptr noalias %1, ptr noalias %2, ptr noalias %3, ptr noalias %4, ptr noalias %5) {
  %7 = alloca i32, i64 1, align 4
  %8 = alloca i32, i64 1, align 4
  %9 = alloca i32, i64 1, align 4
  %10 = load i32, ptr %0, align 4
  %11 = sext i32 %10 to i64
  %12 = icmp sgt i64 %11, 0
  %13 = select i1 %12, i64 %11, i64 0
  %14 = load i32, ptr %2, align 4
  %15 = sext i32 %14 to i64
  %16 = icmp sgt i64 %15, 0
  %17 = select i1 %16, i64 %15, i64 0
  %18 = load i32, ptr %1, align 4
  %19 = sext i32 %18 to i64
  %20 = icmp sgt i64 %19, 0
  %21 = select i1 %20, i64 %19, i64 0
  br label %22

22:                                               ; preds = %92, %6
  %23 = phi i32 [ %94, %92 ], [ 1, %6 ]
  %24 = phi i64 [ %95, %92 ], [ %19, %6 ]
  %25 = icmp sgt i64 %24, 0
  br i1 %25, label %26, label %96

26:                                               ; preds = %22
  store i32 %23, ptr %8, align 4
  %27 = load i32, ptr %2, align 4
  %28 = sext i32 %27 to i64
  br label %29

29:                                               ; preds = %88, %26
  %30 = phi i32 [ %90, %88 ], [ 1, %26 ]
  %31 = phi i64 [ %91, %88 ], [ %28, %26 ]
  %32 = icmp sgt i64 %31, 0
  br i1 %32, label %33, label %92

33:                                               ; preds = %29
  store i32 %30, ptr %7, align 4
  %34 = load i32, ptr %0, align 4
  %35 = sext i32 %34 to i64
  br label %36

36:                                               ; preds = %40, %33
  %37 = phi i32 [ %86, %40 ], [ 1, %33 ]
  %38 = phi i64 [ %87, %40 ], [ %35, %33 ]
  %39 = icmp sgt i64 %38, 0
  br i1 %39, label %40, label %88

40:                                               ; preds = %36
  store i32 %37, ptr %9, align 4
  %41 = load i32, ptr %9, align 4
  %42 = sext i32 %41 to i64
  %43 = load i32, ptr %8, align 4
  %44 = sext i32 %43 to i64
  %45 = sub nsw i64 %42, 1
  %46 = mul nsw i64 %45, 1
  %47 = mul nsw i64 %46, 1
  %48 = add nsw i64 %47, 0
  %49 = mul nsw i64 1, %13
  %50 = sub nsw i64 %44, 1
  %51 = mul nsw i64 %50, 1
  %52 = mul nsw i64 %51, %49
  %53 = add nsw i64 %52, %48
  %54 = mul nsw i64 %49, %21
  %55 = getelementptr double, ptr %3, i64 %53
  %56 = load double, ptr %55, align 8
  %57 = load i32, ptr %7, align 4
  %58 = sext i32 %57 to i64
  %59 = sub nsw i64 %42, 1
  %60 = mul nsw i64 %59, 1
  %61 = mul nsw i64 %60, 1
  %62 = add nsw i64 %61, 0
  %63 = mul nsw i64 1, %13
  %64 = sub nsw i64 %58, 1
  %65 = mul nsw i64 %64, 1
  %66 = mul nsw i64 %65, %63
  %67 = add nsw i64 %66, %62
  %68 = mul nsw i64 %63, %17
  %69 = getelementptr double, ptr %4, i64 %67
  %70 = load double, ptr %69, align 8
  %71 = sub nsw i64 %58, 1
  %72 = mul nsw i64 %71, 1
  %73 = mul nsw i64 %72, 1
  %74 = add nsw i64 %73, 0
  %75 = mul nsw i64 1, %17
  %76 = sub nsw i64 %44, 1
  %77 = mul nsw i64 %76, 1
  %78 = mul nsw i64 %77, %75
  %79 = add nsw i64 %78, %74
  %80 = mul nsw i64 %75, %21
  %81 = getelementptr double, ptr %5, i64 %79
  %82 = load double, ptr %81, align 8
  %83 = fmul contract double %70, %82
  %84 = fadd contract double %56, %83
  store double %84, ptr %55, align 8
  %85 = load i32, ptr %9, align 4
  %86 = add nsw i32 %85, 1
  %87 = sub i64 %38, 1
  br label %36

88:                                               ; preds = %36
  store i32 %37, ptr %9, align 4
  %89 = load i32, ptr %7, align 4
  %90 = add nsw i32 %89, 1
  %91 = sub i64 %31, 1
  br label %29

92:                                               ; preds = %29
  store i32 %30, ptr %7, align 4
  %93 = load i32, ptr %8, align 4
  %94 = add nsw i32 %93, 1
  %95 = sub i64 %24, 1
  br label %22

96:                                               ; preds = %22
  store i32 %23, ptr %8, align 4
  ret void
}

!llvm.ident = !{!0}
!llvm.module.flags = !{!1}

!0 = !{!"Debian flang version 22.1.8"}
!1 = !{i32 2, !"Debug Info Version", i32 3}
