import { type Driver, readText } from '@signalman/playground/driver'

/** What a message says about the outcome of an act. */
export type Verdict = 'done' | 'not done' | 'unknown' | 'lost'

const SAYS: readonly (readonly [Verdict, RegExp])[] = [
  [
    'not done',
    /[Nn]othing was (?:changed|stored|done|started)|(?:not|wasn’t) stored|not begun|before it could begin|could not be created again/,
  ],
  [
    'unknown',
    /[Oo]utcome is unknown|not known whether|may have been (?:carried out|placed)|may still have gone through/,
  ],
  ['lost', /It’s done, but Signalman was interrupted/],
]

/** Everything that the two people can read, by message or window. */
export async function pageOf(slack: Driver): Promise<ReadonlyMap<string, string>> {
  const page = new Map<string, string>()
  for (const who of ['member', 'admin'] as const) {
    const { messages, views } = await slack[who].state()
    const top = views.at(-1)
    if (top) page.set(`${who} ${top.view.id}`, readText(top))
    for (const message of Object.values(messages).flat())
      page.set(`${who} ${message.channel} ${message.ts}`, readText(message))
  }
  return page
}

/** What one of them has seen since, in the latest version of each message or window. */
export function newIn(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  who: 'member' | 'admin',
): string {
  return [...after]
    .filter(([place, text]) => place.startsWith(who) && before.get(place) !== text)
    .map(([, text]) => text)
    .join('\n')
}

export function verdictsIn(text: string, done: RegExp): Verdict[] {
  const found = SAYS.filter(([, pattern]) => pattern.test(text)).map(([verdict]) => verdict)
  return done.test(text) ? ['done', ...found] : found
}
