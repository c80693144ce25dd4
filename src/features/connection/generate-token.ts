import type { Message } from '@signalman/slack'
import type { ActSteps, Requester, ServiceAccess } from '../../bot/routes/command-context.ts'
import type { Modal } from '../../bot/routes/routes.ts'
import type { GeneratedToken } from '../../service/tokens.ts'
import { type ConnectParts, connectWorkspace } from './connect-workspace.ts'
import { connectedView, connectionName, generatedModal } from './views.ts'

/** Makes a token and keeps it straight away, tried out first; it is shown to nobody. Throws ApiError and UserError. */
export async function generateAndKeep(
  parts: ConnectParts,
  context: Requester & ServiceAccess & ActSteps,
): Promise<Message> {
  const [made] = await generate(context)
  if (!made) throw new Error('A generation without a token is unreadable as a whole.')
  const { environment } = context
  return connectedView(
    environment,
    await connectWorkspace(parts, context, { environment, token: made.token }),
  )
}

/** Makes a token and shows it in the window that somebody opened for it, and nowhere else. Throws ApiError. */
export async function generateAndShow(context: Requester & ServiceAccess & ActSteps): Promise<Modal> {
  const made = await generate(context)
  return generatedModal(made, context.environment)
}

function generate(context: Requester & ServiceAccess & ActSteps): Promise<readonly GeneratedToken[]> {
  return context
    .api()
    .then(({ tokens }) =>
      context.change(
        { verb: '/hc token-generate', object: connectionName(context.environment), isSecret: true },
        () => tokens.generate(),
      ),
    )
}
