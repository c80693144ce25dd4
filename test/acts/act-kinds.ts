import type { Random } from '../random.ts'
import { ACCESS_ACTS } from './access-acts.ts'
import type { ActKind } from './act-kind.ts'
import { CHECK_ACTS } from './check-acts.ts'
import { JOB_ACTS } from './job-acts.ts'
import { ORDER_ACTS } from './order-acts.ts'
import { THREAT_ACTS } from './threat-acts.ts'
import { WATCHING_ACTS } from './watching-acts.ts'

export const ACT_KINDS: readonly ActKind[] = [
  ...CHECK_ACTS,
  ...JOB_ACTS,
  ...ACCESS_ACTS,
  ...ORDER_ACTS,
  ...WATCHING_ACTS,
  ...THREAT_ACTS,
]

/** Only acts with this in their names. `ACT=order KILLS=400` kills processes on each database while they have orders alone. */
const ONLY = process.env.ACT ?? ''

/** The test itself has the lease of this job, and can’t renew it in time beside so much else. */
const NOT_TOGETHER = ['job-stop']

/** Chooses kinds at random, at most one of those that share something. */
export function chooseKinds(random: Random, count: number): ActKind[] {
  const left = ACT_KINDS.filter(({ name }) => name.includes(ONLY) && !NOT_TOGETHER.includes(name))
  const chosen: ActKind[] = []
  while (chosen.length < count && left.length > 0) {
    const [kind] = left.splice(random.below(left.length), 1)
    if (kind && !(kind.shares && chosen.some(({ shares }) => shares === kind.shares))) chosen.push(kind)
  }
  return chosen
}
