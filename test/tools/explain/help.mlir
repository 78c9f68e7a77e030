// Text below the options is wrapped like them: paragraphs have no line breaks of their own.
// RUN: env COLUMNS=70 mdh run --help | FileCheck %s
// CHECK: {{^}}With --cache, a program that was compiled before by the same build of{{$}}
// CHECK-NEXT: {{^}}mdh, with the same options, schedule contents and processor, is only{{$}}
// CHECK-NEXT: {{^}}linked. Any number of processes may share the directory, and its files{{$}}
