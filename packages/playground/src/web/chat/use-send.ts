import { untold, usePage } from '../page.ts'
import { peopleHere } from '../people.ts'
import { readEntry, withIds } from './completion.ts'

/** Sends what was typed; false when it stays in the field, because it cannot be sent. */
export function useSend(channel: string, threadTs: string | undefined) {
  const { state, client, dispatch } = usePage()
  const { commands } = state.snapshot
  const tell = (text: string | undefined) => {
    if (text !== undefined) dispatch({ type: 'notice', text, cause: null })
  }
  const post = (text: string, files: readonly string[]) =>
    void client
      .message({
        channel,
        text: withIds(text, { ...state.snapshot, people: peopleHere(state.snapshot) }),
        ...(threadTs === undefined ? {} : { threadTs }),
        ...(files.length > 0 ? { files: [...files] } : {}),
      })
      .then((got) => tell(untold(got)))
  return (typed: string, files: readonly string[] = []): boolean => {
    const entry = readEntry(typed, commands)
    switch (entry.kind) {
      case 'nothing':
        if (files.length === 0) return false
        post('', files)
        return true
      case 'unknown-command':
        tell(`There is no command ${entry.command} here. Type / to see those there are.`)
        return false
      case 'command':
        if (files.length > 0) {
          tell(
            `Slack sends no files with a command. Remove them, or write something before ${entry.command}.`,
          )
          return false
        }
        if (threadTs !== undefined) {
          tell(`Slack runs no slash commands in threads. Send ${entry.command} in the channel.`)
          return false
        }
        void client
          .command({ channel, command: entry.command, text: entry.text })
          .then((got) => tell(untold(got)))
        return true
      case 'message':
        post(entry.text, files)
        return true
    }
  }
}
