import type { Fact } from '../../../blocks/facts.ts'
import { date, type FactValue, words } from '../../../blocks/rich-text.ts'
import type { OutageModel } from '../../../domain/watching/card-model.ts'

type Answered = Pick<OutageModel, 'acknowledged' | 'muted' | 'unwatchedAt'>

/** The last lines of a card: who is on it, until when it is muted, and since when it is not watched. */
export function acknowledgementFacts({ acknowledged, muted, unwatchedAt }: Answered): Fact[] {
  return [
    ['On it', acknowledged && personSince(acknowledged)],
    ['Muted', muted && (muted.until ? [words('until '), date(muted.until)] : 'until somebody ends it')],
    ['Not watched here', unwatchedAt && [words('since '), date(unwatchedAt)]],
  ]
}

/** Shows a name, never a mention: nobody is notified of what they did themselves. */
const personSince = ({ by, name, at }: { by: string; name?: string; at: Date }): FactValue => [
  words(`${name || by}, since `),
  date(at),
]
