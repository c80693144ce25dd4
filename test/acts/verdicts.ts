import { type Driver, readText } from '@signalman/playground/driver'

/** What a message says about the outcome of an act. */
export type Verdict = 'done' | 'not done' | 'unknown' | 'lost'

const VERDICT_PATTERNS: readonly (readonly [Verdict, RegExp])[] = [
  [
    'not done',
    /[Nn]othing was (?:changed|stored|done|started)|wasn’t stored|before it could run your request/,
  ],
  ['unknown', /[Oo]utcome is unknown|unknown whether the service has order|may still have gone through/],
  ['lost', /It’s done, but Signalman was interrupted/],
]

/** Reads all texts that the member and the admin can see, by message or modal. */
export async function readAllTexts(slack: Driver): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const person of ['member', 'admin'] as const) {
    const { messages, views } = await slack[person].state()
    const topView = views.at(-1)
    if (topView) texts.set(`${person} ${topView.view.id}`, readText(topView))
    for (const message of Object.values(messages).flat())
      texts.set(`${person} ${message.channel} ${message.ts}`, readText(message))
  }
  return texts
}

/** The texts of messages and modals that are new or changed for this person, without those that are about others. */
export function newTexts(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  person: 'member' | 'admin',
  isOthers: (text: string) => boolean = () => false,
): string {
  return [...after]
    .filter(([key, text]) => key.startsWith(person) && before.get(key) !== text)
    .filter(([, text]) => !isOthers(text))
    .map(([, text]) => text)
    .join('\n')
}

export function findVerdicts(text: string, donePattern: RegExp): Verdict[] {
  const verdicts = VERDICT_PATTERNS.filter(([, pattern]) => pattern.test(text)).map(([verdict]) => verdict)
  return donePattern.test(text) ? ['done', ...verdicts] : verdicts
}
