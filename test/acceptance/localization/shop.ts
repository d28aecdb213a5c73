/** A shop that speaks English, German as two countries write it, Welsh and Arabic. */
export const SHOP = `
domain:
  name: shop
  version: '1'
  config: { currency: GBP, timezone: Europe/London }
  localization:
    defaultLocale: en
    supportedLocales: [en, de, de-AT, cy, ar]
    fallbackChain: [de]
    dateFormat: { en: dd/MM/yyyy, de: dd.MM.yyyy }
    numberFormat:
      en: { thousands: ',', decimal: '.' }
      de: { thousands: '.', decimal: ',', currencyPosition: after }
    permissions: [admin, translator]
  enums:
    Status:
      label: { en: Status, de: Zustand }
      values:
        open: { label: { en: Open, de: Offen }, description: Still to be done }
        done: { label: Done }
    Size: { values: [small, large] }
  resources:
    Order:
      label: { en: Order, de: Bestellung, de-AT: Auftrag }
      plural: Orders
      object:
        title: { type: string, required: true, maxLength: 12, label: { en: Title, de: Titel } }
        total: { type: money, min: 0, label: Total }
        status: { type: string, enum: Status, default: open }
        size: { type: string, enum: Size }
        secret: { type: string }
      permissions:
        list: ['*']
        get: ['*']
        create: ['*']
        update: ['*']
        fields: { secret: { read: [admin] } }
      validation:
        dear: { expression: total == null or total < 1000, message: { en: '{label} is dear', de: '{label} ist teuer' }, fields: [total] }
      stateMachine:
        field: status
        initial: open
        states:
          open: { label: Open now, transitions: { finish: { to: done, label: { en: Finish, de: Abschliessen } } } }
          done: { final: true }
      history:
        events:
          made: { on: create, capture: [title, secret], label: { en: 'Made {title}', de: '{title} angelegt' }, detail: 'For {secret}' }
          priced: { on: fieldChange, field: total, label: 'Costs {newValue}' }
  rules:
    cheap:
      trigger: { resource: Order, on: create }
      condition: total < 5
      action: warn
      message: { en: '{title} costs {total | money}', de: '{title} kostet {total | money}' }
`
