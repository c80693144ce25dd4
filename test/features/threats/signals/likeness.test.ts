import { describe, expect, it } from 'vitest'
import { likenessOf } from '../../../../src/features/threats/signals/likeness.ts'

/** Brand → the domains that are made to pass for it, by the way it is done. */
const LOOK_ALIKES: readonly (readonly [brand: string, kind: string, domains: string])[] = [
  [
    'Example Shops',
    'name',
    'example-shops-login.test exampleshops-secure.test example-shops.test shops-example.test my-example-shops.test login-example-shops-de.co.uk',
  ],
  [
    'Example Bank',
    'homoglyph',
    'examp1e-bank.test exarnple-bank.test ex4mple-bank.com examplé-bank.test xn--exmple-bank-m8a.test',
  ],
  ['Example Group', 'homoglyph', 'еxample-group.test exаmplegroup.com example-grοup.test'],
  ['Example Outlet', 'name', 'outlet-example-sale.test example-outlet-deals.test'],
  ['PayPal', 'homoglyph', 'paypa1.com pаypal.com paypaI.com раураl.com payрal.net paypal1ogin.test'],
  ['PayPal', 'name', 'paypal-login.test securepaypal.com paypal24.test paypal.test'],
  ['PayPal', 'swap', 'papyal.com payypal.com papal.com payapl.com'],
  ['Microsoft', 'swap', 'micorsoft.com micrsoft.com microsofft.test mikrosoft.test login-micosoft.test'],
  [
    'Microsoft',
    'homoglyph',
    'rnicrosoft.com micros0ft.com miсrosoft.com xn--micrsoft-qbh.com microsоft-support.test',
  ],
  ['Apple', 'name', 'appleid.test apple-support.test idapple.com'],
  ['Apple', 'homoglyph', 'аррӏе.com app1e.com xn--80ak6aa92e.com'],
  ['DHL', 'name', 'dhl-tracking.test de-dhl.com dhl.test my-dhl-parcel.test'],
  ['ING', 'name', 'ing.test ing-login.test my-ing-bank.test'],
  ['HP', 'name', 'hp.test hp-support.test my-hp-login.test'],
  ['HP', 'subdomain', 'hp.com.evil.test login.hp-support.evil.co.uk'],
  ['O2', 'name', 'o2-billing.test'],
  [
    'Example Shops',
    'subdomain',
    'example-shops.com.evil.test www.exampleshops.com-account.test login.example-shops.test.attacker.co.uk examp1e-shops.login.test',
  ],
  ['PayPal', 'subdomain', 'paypal.com.secure-site.test paypal.evil.github.io signin.paypal.evil.co.uk'],
]

/** Brand → domains of others that have nothing to do with it, near as they come. */
const HONEST: readonly (readonly [brand: string, domains: string])[] = [
  [
    'Apple',
    'pineapple.com snapple.com applebees.com apply.com ample.com maple.org grapple.net appeal.org appleton.edu crabapple.farm applied.com dapple.test chapel.org',
  ],
  [
    'PayPal',
    'payroll.com papaya.com paydirekt.de palpay.org playpal.net paper.com paypoint.com repay.com prepayal.org paying.com',
  ],
  [
    'Microsoft',
    'microchip.com microscope.org softmicro.net macrosoft-systems.org micro.com soft.com minisoft.com microlofts.com',
  ],
  ['DHL', 'sandhlom.com dhlink.net adhlab.org headhl.com'],
  [
    'Example Shops',
    'example.com shops.com exams.org workshops.example simple-shops.test sample-shop.test examples.net pet-shops.com',
  ],
  [
    'Example Bank',
    'example.org bank.com examples-of-banking.org embankment.org sample-bank.test blood-bank.org',
  ],
  ['Amazon', 'amazonas.gov.br amazing.com amaze.org amazone-horses.example lamazone.fr'],
  ['Orange', 'orangutan.org arrange.com range.com grange.co.uk strange.org orangerie.fr'],
  ['Chase', 'purchase.com chasers.example steeplechase.org phase.com chasse.fr chased.org'],
  ['Visa', 'visage.com visas.example advisory.org improvisation.com vista.com viva.com'],
  ['Target', 'targets.example starget.org forget.com budget.com carget.com'],
  ['ING', 'king.com banking.com ring.com bing.com ingress.org shipping.example inge.de'],
  ['HP', 'php.net hpe-news.org whp.example shp-login.com'],
  ['Netflix', 'netflux.org network.com netfix.it-services.example nettle.org'],
  ['Google', 'goggles.com goodle.example giggle.com ogle.org'],
  ['', 'anything.com example.com'],
  ['A', 'a.com aa.com'],
]

describe('a domain made to pass for a brand', () => {
  it.each(LOOK_ALIKES)('is found for %s by %s', (brand, kind, domains) => {
    const found = domains.split(' ').map((domain) => [domain, likenessOf(domain, brand)?.kind])
    expect(found).toEqual(domains.split(' ').map((domain) => [domain, kind]))
  })

  it('comes with what it was seen by', () => {
    expect(likenessOf('examp1e-bank.test', 'Example Bank')).toEqual({
      kind: 'homoglyph',
      says: 'reads like “Example Bank” (1 for l)',
      because: '“examp1e-bank” reads like “Example Bank”: 1 for l.',
    })
    expect(likenessOf('papyal.com', 'PayPal')?.because).toBe('“papyal” is “PayPal” with two letters swapped.')
    expect(likenessOf('paypal.com.evil.test', 'PayPal')?.because).toContain('stands in front of evil.test')
  })
})

/** One letter off a brand by chance: nothing but a dictionary could tell, so that they are counted and known. */
const FALSE_ALARMS = ['playpal.net', 'macrosoft-systems.org', 'netflux.org', 'netfix.it-services.example']

describe('an honest domain', () => {
  const pairs = HONEST.flatMap(([brand, domains]) => domains.split(' ').map((domain) => ({ brand, domain })))

  it('raises an alarm only where it is one letter off by chance: 4 of 100, near as these are', () => {
    const alarms = pairs.filter(({ brand, domain }) => likenessOf(domain, brand))
    expect(alarms.map(({ domain }) => domain)).toEqual(FALSE_ALARMS)
    expect(pairs.length).toBe(100)
  })

  it('raises none against any brand but its own', () => {
    const brands = [...new Set(HONEST.map(([brand]) => brand))].filter((brand) => !/Example/.test(brand))
    const others = pairs.flatMap(({ brand, domain }) =>
      brands.flatMap((other) => (other === brand ? [] : [[other, domain]])),
    )
    expect(others.length).toBeGreaterThan(1000)
    expect(others.filter(([brand, domain]) => likenessOf(domain, brand))).toEqual([])
  })
})

it.each([
  '',
  '.',
  'a',
  '192.0.2.1',
  '[2001:db8::1]',
  'x'.repeat(300),
  'xn--',
  'xn--a.xn--',
  '\ud800.test',
  '<!channel>',
])('compares %j with anything without a fault', (domain) => {
  expect(likenessOf(domain, 'Example Shops')).toBeUndefined()
  expect(likenessOf('example.com', domain)).toBeUndefined()
})
