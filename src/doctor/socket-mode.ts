import { createAskForAddress, mendOf, SocketsRefused } from '@signalman/slack'
import { type DoctorFinding, fault, ok, wordsOf } from './finding.ts'

/** Whether Slack would give the app a socket. None is opened: Slack would send requests over it. */
export async function examineSocketMode(
  appToken: string,
  apiUrl: string | undefined,
): Promise<DoctorFinding> {
  try {
    await createAskForAddress(appToken, apiUrl)()
    return ok('socket mode', 'Slack gives the app addresses for sockets.')
  } catch (error) {
    if (error instanceof SocketsRefused)
      return fault('socket mode', `Slack refuses it: ${error.reason}.`, `${mendOf(error.reason)}.`)
    return fault(
      'socket mode',
      `Slack gives no address (${wordsOf(error)}).`,
      'Let the host reach slack.com and wss-primary.slack.com: DNS, firewall, proxy.',
    )
  }
}
