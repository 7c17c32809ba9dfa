// Wrong on purpose: headers.layers_are_checked wants each of these found.
