import type { ActKind } from './act-kind.ts'
import { ACCESS_ACTS } from './acts-of-access.ts'
import { CHECK_ACTS } from './acts-of-checks.ts'
import { JOB_ACTS } from './acts-of-jobs.ts'
import { ORDER_ACTS } from './acts-of-orders.ts'
import { THREAT_ACTS } from './acts-of-threats.ts'
import { WATCHING_ACTS } from './acts-of-watching.ts'

export const ACT_KINDS: readonly ActKind[] = [
  ...CHECK_ACTS,
  ...JOB_ACTS,
  ...ACCESS_ACTS,
  ...ORDER_ACTS,
  ...WATCHING_ACTS,
  ...THREAT_ACTS,
]
