/** What a handset can show as the sender. */
export const SENDER_FORM = /^(\+?[0-9]{3,15}|(?! *$)[A-Za-z0-9 ._-]{1,11})$/;
/** The same in words. */
export const SENDER_WORDS =
  'up to 11 letters, digits, spaces, dots, dashes and underscores, or a number of 3 to 15 digits';
