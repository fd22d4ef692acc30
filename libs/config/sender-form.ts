/** What a handset can show as the sender: up to 11 letters and digits, or a number. */
export const SENDER_FORM = /^(\+?[0-9]{3,15}|(?! *$)[A-Za-z0-9 ._-]{1,11})$/;
