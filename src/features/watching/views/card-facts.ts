import { checkAddress } from '../../../blocks/checks.ts'
import type { Fact } from '../../../blocks/facts.ts'
import type { CheckFacts } from '../../../domain/watching/watch.ts'

export const checkFacts = (check: CheckFacts): Fact[] => [
  ['Target', checkAddress(check) || undefined],
  ['Customer', check.customerId],
]
