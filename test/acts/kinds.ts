import type { ActKind } from './act-kind.ts'
import { ACTS_OF_ACCESS } from './acts-of-access.ts'
import { ACTS_OF_CHECKS } from './acts-of-checks.ts'
import { ACTS_OF_JOBS } from './acts-of-jobs.ts'
import { ACTS_OF_ORDERS } from './acts-of-orders.ts'
import { ACTS_OF_THREATS } from './acts-of-threats.ts'
import { ACTS_OF_WATCHING } from './acts-of-watching.ts'

export const ACT_KINDS: readonly ActKind[] = [
  ...ACTS_OF_CHECKS,
  ...ACTS_OF_JOBS,
  ...ACTS_OF_ACCESS,
  ...ACTS_OF_ORDERS,
  ...ACTS_OF_WATCHING,
  ...ACTS_OF_THREATS,
]
