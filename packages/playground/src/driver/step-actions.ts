import type { ToolAnswer } from '../protocol/answers.ts'
import type { Json } from '../protocol/json.ts'
import type { Pane, PostBody, StepRun } from '../protocol/protocol.ts'
import { type Answer, awaitAnswer, DEFAULT_WAIT_MS, type Waiting } from './answer.ts'
import type { HttpClient, VisibleState } from './http-client.ts'
import type { Observer } from './observer.ts'

/** Runs workflow steps, calls MCP tools, and opens work objects as one person. */
export function createStepActions(client: HttpClient, userId: string, { until }: Observer) {
  return {
    /** Runs one of the app's workflow steps, and waits until it has completed or failed. */
    async runStep(
      callbackId: string,
      inputs: PostBody<'step'>['inputs'] = {},
      { waitMs = DEFAULT_WAIT_MS }: { waitMs?: number } = {},
    ): Promise<StepRun> {
      const outcome = await client.act('step', { user: userId, callbackId, inputs })
      if (!outcome.ok) throw new Error(`The step "${callbackId}" wasn't started: ${outcome.message}`)
      const findEndedRun = ({ steps = [] }: VisibleState) =>
        steps.find((run) => run.id === outcome.runId && run.status !== 'running')
      const ended = findEndedRun(
        await until(`the step "${callbackId}" to end`, (now) => findEndedRun(now) !== undefined, waitMs),
      )
      if (!ended) throw new Error(`The step "${callbackId}" has no run that has ended.`)
      return ended
    },

    /** Lists the tools of the app's MCP server, as Slackbot does for this person. */
    tools: (): Promise<ToolAnswer> => client.post('tools', { user: userId, method: 'list' }),
    /** Calls a tool, as Slackbot does for this person. */
    callTool: (name: string, args: Record<string, Json> = {}): Promise<ToolAnswer> =>
      client.post('tools', { user: userId, method: 'call', params: { name, arguments: args } }),

    /**
     * Opens a message's work object, and waits for the app to show its details. `ref` is the external ID; by default, opens the
     * first one. With `outside`, opens it outside of the conversation, where Slack names no channel.
     */
    async openEntity(
      on: { channel: string; ts: string },
      ref?: string,
      { outside = false }: { outside?: boolean } = {},
    ): Promise<Pane> {
      const address = { channel: on.channel, ts: on.ts, ...(ref !== undefined && { ref }) }
      const outcome = await client.act('entity', { user: userId, ...address, outside })
      if (!outcome.ok) throw new Error(`The work object wasn't opened: ${outcome.message}`)
      const { pane } = await until('the pane of a work object', (now) => (now.pane ?? null) !== null)
      if (!pane) throw new Error('The pane of the work object is gone.')
      return pane
    },
    /**
     * Clicks an action of a work object, on its card (or in its pane, if `inPane` is true), and waits for the app's answer. `action` is an
     * ID or label.
     */
    async pressEntity(
      on: { channel: string; ts: string },
      action: string,
      { ref, inPane = false, ...waiting }: Waiting & { ref?: string; inPane?: boolean } = {},
    ): Promise<Answer> {
      const address = { channel: on.channel, ts: on.ts, ...(ref !== undefined && { ref }) }
      const outcome = await client.act('entity-action', { user: userId, ...address, action, inPane })
      return awaitAnswer(client, userId, outcome, waiting)
    },
  }
}
