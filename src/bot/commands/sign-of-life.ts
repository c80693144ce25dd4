import { context } from '../../blocks/layout.ts'
import { message } from '../../blocks/message.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Replies } from '../replies/replies.ts'
import type { HandledRequest, ReplyOptions } from '../routes/handled-request.ts'

/** The "still asking" message that a person reads while they wait for the answer. */
export interface SignOfLife {
  /** From now on the message may be shown: the person was admitted. */
  isAdmitted(): void
  /** Waits for the answer, and for the message to be sent first when its sending has begun. */
  before<T>(answer: Promise<T>): Promise<T>
  /** True when the message is where the answer will be. */
  isShownInPlace(): Promise<boolean>
  stop(): void
}

const SAYS = 'Still asking … the answer comes here as soon as it is there.'

/**
 * Says after a while that the answer is still being waited for. In the place of a message it is replaced by the answer. The answer
 * to a typed command asks to replace it too; Slack in November 2026 shows both, the sign above the answer, since it replaces
 * nothing that came by a command's response_url (https://github.com/slackapi/bolt-js/issues/2287,
 * https://github.com/slackapi/bolt-python/issues/1268). What opens a window has its own sign there.
 */
export function createSignOfLife(replies: Pick<Replies, 'answer'>, afterMs: number) {
  return (request: HandledRequest, environment: Environment, options: ReplyOptions): SignOfLife => {
    let showing: Promise<boolean> | undefined
    let isWaiting = false
    let isOver = false
    const isReplaceable = options.inPlace === true || request.surface.kind === 'command'
    const admitted = Promise.withResolvers<void>()

    async function show(): Promise<boolean> {
      await admitted.promise
      if (isOver) return false
      const sign = message(SAYS, context(SAYS))
      return replies.answer(request, environment, sign, { ...options, quiet: true }).then(
        () => true,
        () => false,
      )
    }

    const timer = setTimeout(() => {
      if (isWaiting) showing = show()
    }, afterMs)

    function stop(): void {
      isOver = true
      clearTimeout(timer)
      admitted.resolve()
    }

    return {
      isAdmitted: () => admitted.resolve(),
      async before(answer) {
        isWaiting = !options.quiet && request.act?.isResumed !== true
        try {
          return await answer
        } finally {
          stop()
          await showing
        }
      },
      isShownInPlace: async () => isReplaceable && (await showing) === true,
      stop,
    }
  }
}
