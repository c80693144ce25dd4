/** Creates a threat event in the API's format, with every field set. */
export function createThreatEvent(domain: string) {
  return {
    id: '7e57ed00-0000-4000-8000-00000000000a',
    date: '2026-11-18T14:00:00.000Z',
    type: 'DOMAIN_REPORTED',
    brand: {
      id: 301,
      name: 'Example Shops',
      monitored_since: '2021-03-01T00:00:00.000Z',
      grouping_key: 'shops',
    },
    domain,
    criticality: { level: 'HIGH', name: 'High' },
    comments: [{ content: 'Seen twice.', date: '2026-11-19T08:00:00.000Z' }],
    customer_id: 1100,
    observed_data: {
      dns_records: [
        {
          country_code: 'NL',
          ip: '192.0.2.1',
          name: domain,
          type: 'A',
          autonomous_system_info: { as_number: '64500', as_organization: 'Example Hosting' },
        },
        {
          country_code: 'SE',
          ip: '2001:db8::1',
          name: domain,
          type: 'AAAA',
          autonomous_system_info: { as_number: 'AS64501', as_organization: 'Example Network' },
        },
      ],
      whois: {
        owner_name: 'Somebody',
        owner_email: `owner@${domain}`,
        owner_organisation: 'Example Organisation',
        registrar_name: 'Example Registrar',
        statuses: ['clientHold', 'addPeriod'],
        creation_date: '2026-11-13T00:00:00Z',
        updated_date: '2026-11-14T00:00:00Z',
        expiration_date: '2027-11-13T00:00:00Z',
        resource_url: `https://rdap.example/${domain}`,
      },
      website: {
        page_title: 'Sign in',
        page_description: 'Sign in now',
        origin_url: `http://${domain}/`,
        final_url: `https://${domain}/login`,
        redirection_types: ['HTTP_301', 'JAVASCRIPT'],
        screenshot_resource_url: 'https://api.example.com/screenshot.png',
        source_resource_url: 'https://elsewhere.example/source',
      },
    },
  }
}

/** Creates an event with this text in every field. Its lists have `listLength` items. */
export function createEventWithText(text: string, listLength = 120) {
  return {
    id: text,
    type: text,
    domain: text,
    brand: { id: 1, name: text, grouping_key: text },
    criticality: { level: text, name: text },
    comments: Array(listLength).fill({ content: text, date: '2026-11-01T00:00:00Z' }),
    observed_data: {
      dns_records: Array(listLength).fill({
        country_code: text,
        ip: text,
        name: text,
        type: text,
        autonomous_system_info: { as_number: text, as_organization: text },
      }),
      whois: {
        owner_name: text,
        owner_email: text,
        owner_organisation: text,
        registrar_name: text,
        statuses: Array(listLength).fill(text),
        resource_url: text,
      },
      website: {
        page_title: text,
        page_description: text,
        origin_url: text,
        final_url: text,
        redirection_types: Array(listLength).fill(text),
        screenshot_resource_url: text,
        source_resource_url: text,
      },
    },
  }
}

/** Creates an event with fields of the wrong type: this text instead of an object, or inside a list or object instead of a text. */
export function createEventOfWrongTypes(text: string) {
  const wrongObject = { [text]: [text, { [text]: text }] }
  return {
    ...createEventWithText(text, 1),
    type: wrongObject,
    domain: [text],
    date: text,
    brand: wrongObject,
    criticality: [text],
    comments: [text, { content: wrongObject, date: wrongObject }, [text]],
    customer_id: text,
    observed_data: {
      dns_records: [text, { ip: wrongObject, name: [text], autonomous_system_info: text }],
      whois: {
        creation_date: text,
        statuses: [wrongObject],
        registrar_name: wrongObject,
        owner_organisation: [text],
      },
      website: text,
    },
  }
}
