import { modalView } from '@signalman/slack'
import type { ModalView } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import type { BindButtons } from '../request/buttons.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { Modal } from '../routes/routes.ts'
import type { WindowState, WindowStates } from '../windows/window-states.ts'

/** The view of a form that replaces another view of it, with its buttons and its new state. */
export async function bindFormWindow(
  { bindButtons, windowStates }: { bindButtons: BindButtons; windowStates: WindowStates },
  request: HandledRequest & { environment: Environment },
  { formState, blocks, ...modal }: Modal,
  { callbackId, state }: { callbackId: string; state: WindowState },
): Promise<ModalView> {
  const drawn = state.line === undefined ? request : { ...request, line: state.line }
  const boundBlocks = await bindButtons(drawn, request.environment, blocks.flat())
  const metadata = await windowStates.write(request, callbackId, { ...state, formState })
  return modalView({ ...modal, blocks: boundBlocks }, metadata)
}
