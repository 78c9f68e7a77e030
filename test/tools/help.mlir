// What stands below the options is wrapped as they are: paragraphs have no lines of their own.
// RUN: env COLUMNS=70 mdh run --help | FileCheck %s
// CHECK: {{^}}With --cache, code that was compiled before for the same program,{{$}}
// CHECK-NEXT: {{^}}options, contents of the schedule and processor by the same build of{{$}}
// CHECK-NEXT: {{^}}mdh is only linked. Any number of processes may share the directory,{{$}}
