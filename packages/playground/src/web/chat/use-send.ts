import type { ErrorResponse, Outcome } from '../../protocol/protocol.ts'
import { NO_RESPONSE } from '../api.ts'
import { usePage, useShowFailure } from '../page.ts'
import { reachablePeople } from '../people.ts'
import { parseEntry, toMentions } from './completion.ts'

/**
 * `not-sent` if there is nothing to send or the text is invalid. Otherwise, a promise that resolves to whether the server received the
 * text.
 */
export type SendResult = 'not-sent' | Promise<'received' | 'lost'>

/** Slack's clients don't send longer messages. */
const MAX_LENGTH = 40_000

/** Returns a function that sends the typed text as a message or a command. */
export function useSend(channel: string, threadTs: string | undefined) {
  const { state, client, dispatch } = usePage()
  const { commands } = state.snapshot
  const showFailure = useShowFailure()
  const rejectWithNotice = (text: string): SendResult => {
    dispatch({ type: 'notice', text, cause: null })
    return 'not-sent'
  }
  /** Text that the server rejects still counts as received: a notice shows the reason, and the text isn't restored. */
  const waitForOutcome = async (posted: Promise<Outcome | ErrorResponse>): Promise<'received' | 'lost'> => {
    const outcome = await posted
    showFailure(outcome)
    return 'error' in outcome && outcome.error === NO_RESPONSE.error ? 'lost' : 'received'
  }
  const post = (text: string, files: readonly string[]) =>
    waitForOutcome(
      client.message({
        channel,
        text: toMentions(text, { ...state.snapshot, people: reachablePeople(state.snapshot) }),
        ...(threadTs === undefined ? {} : { threadTs }),
        ...(files.length > 0 ? { files: [...files] } : {}),
      }),
    )
  return (typed: string, files: readonly string[] = []): SendResult => {
    const entry = parseEntry(typed, commands)
    if ([...typed].length > MAX_LENGTH)
      return rejectWithNotice(`A message can have at most ${MAX_LENGTH} characters.`)
    switch (entry.kind) {
      case 'nothing':
        return files.length === 0 ? 'not-sent' : post('', files)
      case 'unknown-command':
        return rejectWithNotice(`The app has no command ${entry.command}. Type / to see its commands.`)
      case 'command':
        if (files.length > 0)
          return rejectWithNotice(
            `Slack can’t send files with a command. Remove them, or type something before ${entry.command}.`,
          )
        if (threadTs !== undefined)
          return rejectWithNotice(
            `Slash commands don’t work in threads. Send ${entry.command} in the channel.`,
          )
        return waitForOutcome(client.command({ channel, command: entry.command, text: entry.text }))
      case 'message':
        return post(entry.text, files)
    }
  }
}
