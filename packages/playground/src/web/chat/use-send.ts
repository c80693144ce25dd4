import type { Outcome, Refusal } from '../../protocol.ts'
import { SILENT } from '../api.ts'
import { usePage, useShowFailure } from '../page.ts'
import { peopleHere } from '../people.ts'
import { readEntry, withIds } from './completion.ts'

/** What happens to what was typed: it stays in the field, or is being sent and resolves to whether it arrived. */
export type Sending = 'stays' | Promise<'arrived' | 'lost'>

/** Slack doesn't cut off a person's message, because its clients don't send longer ones. */
const MOST_CHARACTERS = 40_000

/** Sends what was typed. */
export function useSend(channel: string, threadTs: string | undefined) {
  const { state, client, dispatch } = usePage()
  const { commands } = state.snapshot
  const showFailure = useShowFailure()
  const stays = (text: string): Sending => {
    dispatch({ type: 'notice', text, cause: null })
    return 'stays'
  }
  /** Only a missing answer is a loss: a refusal was received, and says so. */
  const settle = async (posted: Promise<Outcome | Refusal>): Promise<'arrived' | 'lost'> => {
    const got = await posted
    showFailure(got)
    return 'error' in got && got.error === SILENT.error ? 'lost' : 'arrived'
  }
  const post = (text: string, files: readonly string[]) =>
    settle(
      client.message({
        channel,
        text: withIds(text, { ...state.snapshot, people: peopleHere(state.snapshot) }),
        ...(threadTs === undefined ? {} : { threadTs }),
        ...(files.length > 0 ? { files: [...files] } : {}),
      }),
    )
  return (typed: string, files: readonly string[] = []): Sending => {
    const entry = readEntry(typed, commands)
    if ([...typed].length > MOST_CHARACTERS)
      return stays(`A message may have at most ${MOST_CHARACTERS} characters.`)
    switch (entry.kind) {
      case 'nothing':
        return files.length === 0 ? 'stays' : post('', files)
      case 'unknown-command':
        return stays(`There is no command ${entry.command} here. Type / to see those there are.`)
      case 'command':
        if (files.length > 0)
          return stays(
            `Slack sends no files with a command. Remove them, or write something before ${entry.command}.`,
          )
        if (threadTs !== undefined)
          return stays(`Slack runs no slash commands in threads. Send ${entry.command} in the channel.`)
        return settle(client.command({ channel, command: entry.command, text: entry.text }))
      case 'message':
        return post(entry.text, files)
    }
  }
}
