import type { Fact } from '../../../blocks/facts.ts'
import type { CheckFacts } from '../../../domain/watching/watch.ts'
import { targetOf } from './check-words.ts'

export const checkFacts = (check: CheckFacts): Fact[] => [
  ['Target', targetOf(check)],
  ['Customer', check.customerId],
]
