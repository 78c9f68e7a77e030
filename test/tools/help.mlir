// Text below the options is wrapped like them: paragraphs have no line breaks of their own.
// RUN: env COLUMNS=70 mdh run --help | FileCheck %s
// CHECK: {{^}}With --cache, code that was compiled before for the same program,{{$}}
// CHECK-NEXT: {{^}}options, contents of the schedule and processor by the same build of{{$}}
// CHECK-NEXT: {{^}}mdh is only linked. Any number of processes may share the directory,{{$}}
