import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { describe, expect, it } from 'vitest'
import { createService } from '../../src/service/service.ts'
import { createSandboxControl } from '../sandbox-control.ts'

async function startCatalog() {
  await using disposables = new AsyncDisposableStack()
  const sandbox = disposables.use(await startSandbox({ seed: false, checking: false }))
  const baseUrls = { production: sandbox.productionUrl, ote: sandbox.oteUrl }
  const service = disposables.use(createService({ baseUrls, retry: { attempts: 1 } }))
  const { catalog } = service.with({ environment: 'production', token: sandbox.token })
  const resources = disposables.move()
  return {
    catalog,
    control: createSandboxControl(sandbox),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('products and organizations', () => {
  it('are listed by ID and name, in the service’s order', async () => {
    await using world = await startCatalog()
    expect(await world.catalog.products()).toContainEqual({ id: '101', name: 'Domain validated, one name' })
    expect((await world.catalog.organizations()).map(({ id }) => id)).toEqual(['7001', '7002', '7003'])
  })

  it.each([
    {
      content: 'a number as an ID, and no name',
      body: { data: [{ id: 7 }] },
      expected: [{ id: '7', name: '7' }],
    },
    {
      content: 'something without an ID',
      body: { data: [{ attributes: { name: 'a' } }, 1, null] },
      expected: [],
    },
    { content: 'an empty list', body: { data: [] }, expected: [] },
  ])('are read from a response with $content', async ({ body, expected }) => {
    await using world = await startCatalog()
    await world.control.faults({ path: '/ssl/v2/products', kind: 'body', body })
    expect(await world.catalog.products()).toEqual(expected)
  })

  it.each([{ body: '<html>' }, { body: {} }, { body: { data: { id: '1' } } }, { body: '' }])(
    'are unreadable if the response is $body',
    async ({ body }) => {
      await using world = await startCatalog()
      await world.control.faults({ path: '/ssl/v2/products', kind: 'body', body })
      await expect(world.catalog.products()).rejects.toMatchObject({ kind: 'unreadable' })
    },
  )
})
