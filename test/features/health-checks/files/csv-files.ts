import type { Message } from '@signalman/playground'
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
