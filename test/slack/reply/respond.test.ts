import { expect, it } from 'vitest'
import { createResponder, serializeAnswer } from '../../../packages/slack/src/reply/respond.ts'
import { reply, startVendor } from '../../service/vendor.ts'

const MESSAGE = serializeAnswer({ text: 'Here it is.', blocks: [] })
/** Long enough that no response times out during the test. */
const TIMEOUT_MS = 200_000

it('keeps stalled responses in one workspace from delaying those of another', async () => {
  await using slack = await startVendor((response, { url }) => {
    if (!url.includes('/slow/')) reply(response, {})
  })
  const responder = createResponder(`${slack.url}/api/`, undefined, TIMEOUT_MS)
  const answer = (workspaceId: string, nth: number) =>
    responder.respond({ responseUrl: `${slack.url}/hooks/${workspaceId}/${nth}`, workspaceId }, MESSAGE)
  const slow = Array.from({ length: 400 }, (_, nth) => answer('slow', nth))
  const ended = Promise.allSettled(slow)
  const quick = Array.from({ length: 50 }, (_, nth) => answer('quick', nth))
  await Promise.all(quick)
  expect(slack.seen.filter(({ url }) => url.includes('/slow/')).length).toBeLessThanOrEqual(32)
  await responder[Symbol.asyncDispose]()
  await ended
})

it('sends responses only to Slack’s own URLs', async () => {
  await using otherHost = await startVendor((response) => reply(response, {}))
  await using responder = createResponder(undefined)
  const responseUrl = `${otherHost.url}/hooks/1`
  await expect(responder.respond({ responseUrl, workspaceId: 'T1' }, MESSAGE)).rejects.toThrow(
    'isn’t Slack’s',
  )
  expect(otherHost.seen).toEqual([])
})
