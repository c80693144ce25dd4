import { helpAnswered } from './measures/help-answered.ts'
import { hundredThousand } from './measures/hundred-thousand.ts'
import { listing } from './measures/listing.ts'
import { pageRead } from './measures/page-read.ts'
import { polling } from './measures/polling.ts'
import { readsWrite } from './measures/reads-write.ts'
import { starting } from './measures/starting.ts'
import { underLoad } from './measures/under-load.ts'
import type { Benchmark } from './parts/benchmark.ts'

/** The benchmarks. They measure what a user or an operator would notice. results.json has their goals and what was reached. */
export const BENCHMARKS: readonly Benchmark[] = [
  helpAnswered,
  readsWrite,
  underLoad,
  listing,
  pageRead,
  hundredThousand,
  polling,
  starting,
]
