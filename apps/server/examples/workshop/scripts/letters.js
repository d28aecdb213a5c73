// What is to be sent when a record comes to a state. The log says so for now: whoever has a service for letters calls it here.

const LETTERS = {
  'appointment.sendConfirmation': 'confirm the appointment',
  'repair-order.sendQuote': 'send the quote',
  'repair-order.informAboutDelay': 'tell the owner of the delay',
  'repair-order.notifyReady': 'tell the owner that the bike is ready',
  'invoice.mailInvoice': 'mail the invoice',
  'invoice.sendReminder': 'send a reminder',
  'purchase-order.mailSupplier': 'mail the order to the supplier',
}

for (const [name, letter] of Object.entries(LETTERS))
  on(`svc.workshop.${name}`, ({ record }, { log }) => log.info(letter, record.id))
