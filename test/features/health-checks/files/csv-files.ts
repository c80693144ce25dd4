import type { Message } from '@signalman/playground'
import type { Answer } from '@signalman/playground/driver'
import { expect } from 'vitest'
import type { World } from '../../../world.ts'

/** Waits for a direct message to the member with this text. Returns the last one. */
export async function waitForDm(
  { slack: { member } }: World,
  expected: RegExp | string,
): Promise<Message | undefined> {
  const has = ({ text }: { text: string }) =>
    typeof expected === 'string' ? text.includes(expected) : expected.test(text)
  await member.until(String(expected), ({ messages = {} }) => Object.values(messages).flat().some(has))
  return (await member.messages('dm')).findLast(has)
}

/** Presses the button of a preview, and waits for the message about how the change ended: that of one is shown in its place. */
export async function applyPreview(
  world: World,
  { message, view }: Pick<Answer, 'message'> & Partial<Pick<Answer, 'view'>>,
  label: string,
  { person = world.slack.member }: { person?: Pick<World['slack']['member'], 'click' | 'messages'> } = {},
): Promise<((Message | NonNullable<Answer['view']>) & { text: string }) | undefined> {
  const hasEnded = ({ text }: { text: string }) => text.includes('Your change: ')
  const listEnded = async () => (await person.messages('dm')).filter(hasEnded)
  const { length } = await listEnded()
  const answer = await person.click(view ?? message, label, { until: /Started\.|Your change: / })
  const shown = answer.view ?? answer.message
  if (shown && hasEnded(answer)) return { ...shown, text: answer.text }
  await expect.poll(async () => (await listEnded()).length).toBeGreaterThan(length)
  return (await listEnded()).at(-1)
}

/** The last file that a person got, by default the member, without its byte order mark. */
export async function downloadFile(
  world: World,
  person = world.slack.member,
): Promise<{ name: string; text: string }> {
  await person.until('a file', ({ messages }) => JSON.stringify(messages).includes('"files":[{'))
  const file = (await person.messages('dm')).flatMap(({ files }) => files ?? []).at(-1)
  const text = await (await fetch(`${world.playground.url}${file?.href}`)).text()
  return { name: file?.name ?? '', text: text.replace('\uFEFF', '') }
}

export async function importFile(world: World, content: string, until: RegExp | string = /checks\.csv[:?] /) {
  const { member } = world.slack
  const { id } = await member.upload('checks.csv', content, 'text/csv')
  await member.command('/hc', 'import')
  return member.submit({ 'CSV file': [id] }, { until })
}
