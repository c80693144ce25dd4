import { expect, it } from 'vitest'
import { startWorld } from './app.ts'

it.each([
  {
    description: 'links URLs and escapes a bare &',
    args: { text: 'a & b http://x.example/?a=1&b=2, see (https://y.example).' },
    expected: 'a &amp; b <http://x.example/?a=1&amp;b=2>, see (<https://y.example>).',
  },
  {
    description: 'keeps markup, code, and what is escaped',
    args: { text: '<https://x.example|x> `https://y.example` &amp; <@U0ADMIN001> @admin' },
    expected: '<https://x.example|x> `https://y.example` &amp; <@U0ADMIN001> @admin',
  },
  {
    description: 'links names only if the app asks for it',
    args: { text: '@on-call see #operations, not #nowhere. @here', link_names: true },
    expected: '<!subteam^S0ONCALL01|@on-call> see <#C0OPERATNS|operations>, not #nowhere. <!here>',
  },
  {
    description: 'reads no markup with `parse: full`',
    args: { text: 'hi @admin <https://x.example|x>', parse: 'full' },
    expected: 'hi <@U0ADMIN001> &lt;<https://x.example>|x&gt;',
  },
  {
    description: 'changes nothing with `parse: none`',
    args: { text: 'see http://x.example', parse: 'none' },
    expected: 'see http://x.example',
  },
])('$description', async ({ args, expected }) => {
  await using world = await startWorld()
  const posted = await world.api('chat.postMessage', { channel: 'C0GENERAL1', ...args })
  expect(posted).toMatchObject({ ok: true, message: { text: expected } })
  const updated = await world.api('chat.update', { channel: 'C0GENERAL1', ts: posted.ts, ...args })
  expect(updated).toMatchObject({ ok: true, text: expected })
})

it('links names of people with `link_names` in updates, but not in new messages', async () => {
  await using world = await startWorld()
  const args = { channel: 'C0GENERAL1', text: 'hi @admin', link_names: true }
  const posted = await world.api('chat.postMessage', args)
  expect(posted).toMatchObject({ message: { text: 'hi @admin' } })
  expect(await world.api('chat.update', { ...args, ts: posted.ts })).toMatchObject({
    text: 'hi <@U0ADMIN001>',
  })
})
