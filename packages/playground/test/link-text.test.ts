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
    args: { text: '@admin see #operations, not #nowhere or a@admin', link_names: true },
    expected: '<@U0ADMIN001> see <#C0OPERATNS|operations>, not #nowhere or a@admin',
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
