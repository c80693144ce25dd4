import type { Environment } from '../../domain/environment.ts'
import { UserError } from '../../errors.ts'
import type { WaysToAnswer } from '../../slack/receive/surface.ts'
import type { Access } from '../access/access.ts'
import { isPlainlyForeign } from '../access/actor.ts'
import { besideAdmission } from '../access/beside-admission.ts'
import type { MakeContext } from '../context/make-context.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import type { ResolvedLine } from '../routes/resolve-line.ts'
import type { SignOfLife } from './sign-of-life.ts'
import type { MendToken } from './token-mending.ts'

export type RunVerb = ReturnType<typeof createRunVerb>

/** Runs the verb of a line for a person who may run it. Returns the answer and the context. */
export function createRunVerb(parts: { access: Access; mendToken: MendToken; makeContext: MakeContext }) {
  const { access, mendToken, makeContext } = parts
  return async function runVerb(
    request: HandledRequest,
    environment: Environment,
    { verb, args, name, line, isAct }: ResolvedLine,
    answered: Promise<void>,
    sign: SignOfLife,
  ) {
    const demand = { ...verb, verb: name, usesCache: !isAct }
    // An act that has begun is finished without a new admission; each further step checks the right again.
    const admission =
      request.act && !request.act.isUntouched ? access.actorOf(request) : access.admit(request, demand)
    const { triggerId }: WaysToAnswer = request.surface
    const hasNoWindow = verb.opens === true && !triggerId
    const isForEveryone = !isAct && verb.needs === 'viewer' && !verb.changesSomething
    admission.then(
      () => sign.isAdmitted(),
      () => undefined,
    )
    // Data that not every member may see is read only after the person was admitted.
    if (!isForEveryone || hasNoWindow || isPlainlyForeign(request)) await admission
    // Thrown before any work: a new token, for instance, could be shown to nobody without the window.
    if (hasNoWindow && request.act?.isUntouched !== false) throw new UserError(NO_WINDOW)
    return besideAdmission(admission, async (admission, signal) => {
      const context = { ...makeContext(request, environment, admission, demand, signal), answered }
      try {
        return { context, content: await verb.run(context, args) }
      } catch (error) {
        const again = args.flags.share ? `${line} --share` : line
        throw await mendToken(error, { caller: request, environment, actor: await admission, line: again })
      }
    })
  }
}

export const NO_WINDOW =
  'This opens a window, and Slack lets an app open one only for a command or a button. Type the command in the channel.'
