import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Driver } from '@signalman/playground/driver'
import { expect } from 'vitest'
import { signRequest } from '../../slack/signed.ts'
import { SIGNING_SECRET, type World } from '../../world.ts'

type Run = Awaited<ReturnType<Driver['member']['runStep']>>
type Inputs = Parameters<Driver['member']['runStep']>[1]

export interface StepEvent {
  event_id: string
  event: {
    function: { input_parameters: { name: string; type: string }[] }
    inputs: Record<string, unknown>
    function_execution_id: string
  }
}

/** Starts a step as a member while the app is unreachable, and captures the event that Slack sends. */
export async function captureStep(
  world: Pick<World, 'app' | 'playground' | 'slack'>,
  id: string,
  inputs: Inputs,
) {
  const { playground, slack, app } = world
  // Accepts the event in place of the app, so that Slack doesn't retry.
  const standIn = createServer((_, response) => void response.end()).listen(0, '127.0.0.1')
  await once(standIn, 'listening')
  playground.setAppUrl(`http://127.0.0.1:${(standIn.address() as AddressInfo).port}`)
  await slack.member.runStep(id, inputs, { waitMs: 1 }).catch(() => undefined)
  playground.setAppUrl(app.url)
  standIn.close()
  const bodies = (await slack.deliveries()).map(({ request }) => request.body as Partial<StepEvent>)
  const executed = bodies.findLast(({ event }) => event?.function_execution_id !== undefined)
  // The playground sent it, so it has this type.
  return executed as StepEvent
}

/** Sends an event like Slack would. */
export async function deliver(url: string, body: object, at = new Date()): Promise<number> {
  const { headers, body: text } = signRequest(SIGNING_SECRET, JSON.stringify(body), { json: true, at })
  return (await fetch(new URL('/slack/events', url), { method: 'POST', body: text, headers })).status
}

export const listRuns = async (slack: Driver): Promise<Run[]> => (await slack.admin.state()).steps ?? []

/** Waits until a step has ended, and returns its result. */
export async function waitForEnd(slack: Driver, { event }: StepEvent): Promise<Run> {
  const find = async () => (await listRuns(slack)).find(({ id }) => id === event.function_execution_id)
  await expect.poll(async () => (await find())?.status).toMatch(/completed|failed/)
  // Safe cast: the poll above found it.
  return (await find()) as Run
}
